import type { Documented } from '../catalogue/operations.ts';
import { type Asset, type Assets, readAssets } from './assets.ts';
import { html, type Markup } from './html.ts';
import { groupsOf, type PageContext, type PageGroup } from './page-context.ts';
import { renderEndpoint } from './render-endpoint.ts';
import { renderGroup, renderGroupLinks } from './render-list.ts';

export interface PageOptions {
  readonly title: string;
  /** One sentence, for search engines and link previews. */
  readonly description: string;
  readonly groups: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly catalogue: readonly Documented[];
  /** What a reader should know before looking at single endpoints. */
  readonly renderOverview: (endpointCount: number, context: PageContext) => Markup;
}

/** The documentation page of a service. Addresses in it begin with the base URL that the client came by. */
export interface DocumentationPage {
  readonly assetRevision: string;
  html(baseUrl: string): string;
  /** The opened row of an endpoint; undefined when there is none of this id. */
  endpointHtml(id: string, baseUrl: string): string | undefined;
  asset(name: string): Asset | undefined;
}

/** Pages are kept for so many base URLs. */
const KEPT_PAGES = 8;

export function createDocumentationPage(options: PageOptions): DocumentationPage {
  const { catalogue } = options;
  const groups = groupsOf(options.groups, catalogue);
  const byId = new Map(catalogue.map((endpoint) => [endpoint.id, endpoint]));
  const assets = readAssets();
  const pages = new Map<string, string>();
  return {
    assetRevision: assets.revision,
    asset: assets.find,
    html(baseUrl) {
      const kept = pages.get(baseUrl);
      if (kept !== undefined) return kept;
      // Whoever asks by ever new names makes us work, but not remember.
      if (pages.size >= KEPT_PAGES) pages.clear();
      const page = renderPage(options, groups, assets, { baseUrl });
      pages.set(baseUrl, page);
      return page;
    },
    endpointHtml(id, baseUrl) {
      const endpoint = byId.get(id);
      return endpoint && renderEndpoint(endpoint, { baseUrl }).text;
    },
  };
}

function renderPage(
  { title, description, renderOverview }: PageOptions,
  groups: readonly PageGroup[],
  { revision, scripts }: Assets,
  context: PageContext,
): string {
  const endpointCount = groups.reduce((count, { endpoints }) => count + endpoints.length, 0);
  const assets = `assets/${revision}`;
  return html`<!doctype html>
<html lang="en" data-base-url="${context.baseUrl}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<link rel="icon" href="${assets}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets}/page.css">
${scripts.map((name) => html`<link rel="modulepreload" href="${assets}/${name}">`)}
<script type="module" src="${assets}/page.js"></script>
</head>
<body>
<a class="skip" href="#endpoints">Skip to the endpoints</a>
<div class="side">
<div class="brand"><a href="#overview"><img src="${assets}/icon.svg" alt="" width="22" height="22">${title}</a><button type="button" class="menu" popovertarget="groups">Groups</button></div>
<search><input type="search" id="search" placeholder="Search endpoints" aria-label="Search endpoints" aria-keyshortcuts="/" aria-controls="endpoints" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd></search>
<p class="found" role="status">${endpointCount} endpoints in ${groups.length} groups</p>
<nav id="groups" popover aria-label="Groups">${renderGroupLinks(groups)}</nav>
</div>
<main>
${renderOverview(endpointCount, context)}
<div id="endpoints" role="region" aria-label="Endpoints" tabindex="-1">${groups.map((group) => renderGroup(group, context))}
<p class="nothing" hidden>No endpoint matches. Search looks at methods, paths, summaries and ids.</p>
</div>
</main>
</body>
</html>
`.text;
}
