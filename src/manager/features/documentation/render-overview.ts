import { html, type Markup } from '../../../kernel/page/html.ts';
import { version } from '../../../kernel/version.ts';

/** What a reader should know before looking at single endpoints: how to get in, and how errors look. */
export function renderOverview(title: string, endpointCount: number, baseUrl: string): Markup {
  const signIn = `curl -d grant_type=client_credentials -d client_id=admin -d client_secret=… '${baseUrl}/apiops/auth/token'`;
  const use = `curl -H 'Authorization: Bearer …' '${baseUrl}/apiops/projects/'`;
  return html`<section class="overview" aria-labelledby="overview">
<h1 id="overview">${title}</h1>
<p class="lead">Everything that can be set on the platform, by program: ${endpointCount} endpoints, those of the API itself under <code>/apiops/</code>, with and without a slash at the end.</p>
<dl class="address">
<dt>Base address</dt><dd class="copyable"><pre tabindex="0" aria-label="Base address">${baseUrl}</pre><button type="button" class="copy">Copy</button></dd>
<dt>Version</dt><dd>${version}</dd>
<dt>Descriptions</dt><dd><a href="openapi.json">OpenAPI 3.1</a></dd>
</dl>
<h2>Access tokens</h2>
<p>A user name and password are changed for a token once; every other request carries the token in <code>Authorization: Bearer</code>. Cookies are never looked at. A token that you send from one of the forms below stands in those you open after it.</p>
${[signIn, use].map(
  (line) =>
    html`<div class="copyable"><pre tabindex="0" aria-label="curl line">${line}</pre><button type="button" class="copy">Copy</button></div>`,
)}
<div class="columns">
<div><h2>Errors</h2>
<dl class="settings">
<dt>Older endpoints</dt><dd><code>status</code> FAILURE and <code>resultMessage</code>; nearly everything a caller can do wrong is 400.</dd>
<dt>Problem details</dt><dd><code>type</code>, <code>path</code>, <code>status</code> and the stable <code>errorKey</code>.</dd>
<dt>Newer endpoints</dt><dd><code>correlationId</code> and <code>errorKey</code>; what is missing or out of reach is always 404.</dd>
</dl></div>
<div><h2>Changes</h2>
<dl class="settings">
<dt>Revisions</dt><dd>Objects come with an <code>ETag</code>; sent back in <code>If-Match</code> it keeps two editors from overwriting each other.</dd>
<dt>Lists</dt><dd><code>page</code> from 0, <code>size</code> up to 1000, <code>sort=name,desc</code>.</dd>
<dt>Journals</dt><dd>Every change is written down: who, what, before and after.</dd>
</dl></div>
</div>
</section>`;
}
