import type { Documented } from '../catalogue/operations.ts';
import { curlLine } from './browser/curl-line.js';
import { type Content, html, type Markup, prose } from './html.ts';
import type { PageContext, PageGroup } from './page-context.ts';
import { shownRequest } from './shown-request.ts';

/** Curl lines longer than this are shown only where the endpoint is described in full. */
const LONGEST_LISTED_LINE = 1000;
/** An endpoint of many methods shows so many of them in the list. */
const LISTED_METHODS = 2;

export function renderGroupLinks(groups: readonly PageGroup[]): Markup {
  const links = groups.map(
    ({ name, slug, endpoints }) => html`
<li><a href="#${slug}"><span>${name}</span><span class="count">${endpoints.length}</span></a></li>`,
  );
  return html`<ul>${links}
</ul>`;
}

/** A group with a row for each endpoint. Opened without scripts, a row shows its curl lines. */
export function renderGroup({ name, slug, purpose, endpoints }: PageGroup, context: PageContext): Markup {
  return html`
<section class="group" aria-labelledby="${slug}">
<header><h2 id="${slug}">${name}</h2><span class="count">${endpoints.length}</span><p>${purpose}</p></header>
${endpoints.map((endpoint) => renderRow(endpoint, context))}
</section>`;
}

function renderRow(endpoint: Documented, { baseUrl }: PageContext): Markup {
  const { id, path, summary, description, examples } = endpoint;
  const lines = examples
    .filter(({ shown, setUp }) => shown !== false && setUp === undefined)
    .map((example) => curlLine(shownRequest(endpoint, example), baseUrl))
    .filter((line) => line.length <= LONGEST_LISTED_LINE);
  return html`<details class="endpoint" id="/${id}" data-methods="${endpoint.methods.join(' ')}">
<summary>${renderListedMethods(endpoint.methods)}<code class="path">${renderPath(path)}</code><span class="about">${prose(summary)}</span></summary>
<div class="plain">${description && html`<p>${prose(description)}</p>`}<pre>${lines.join('\n')}</pre></div>
</details>
`;
}

function renderListedMethods(methods: readonly string[]): Markup {
  const listed = methods.includes('ANY') ? ['ANY'] : methods.slice(0, LISTED_METHODS);
  const others = methods.includes('ANY') ? 0 : methods.length - listed.length;
  return html`<span class="methods">${listed.map(renderMethod)}${others > 0 && html`<span class="more" title="${methods.join(', ')}">+${others}</span>`}</span>`;
}

export function renderMethod(method: string): Markup {
  return html`<span class="method" data-method="${method}">${method}</span>`;
}

/** The path with its placeholders set apart. It may break into lines before a slash only. */
export function renderPath(path: string): Content {
  const segments = path.split('/').slice(1);
  return segments.map((segment, index) => [index > 0 && html`<wbr>`, '/', renderSegment(segment)]);
}

function renderSegment(segment: string): Content {
  return /^\{.+\}$|^\*\*$/.test(segment) ? html`<var>${segment}</var>` : segment;
}
