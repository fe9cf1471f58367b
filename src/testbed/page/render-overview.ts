import { type Content, html, type Markup } from '../../kernel/page/html.ts';
import { version } from '../../kernel/version.ts';
import { codings } from '../content/codings.ts';
import { overlayControls } from '../overlay.ts';
import type { TestbedLimits, TestbedSettings } from '../settings.ts';
import { wireFaultNames } from '../wire/faults.ts';

/** What a reader should know before looking at single endpoints. */
export function renderOverview(endpointCount: number, baseUrl: string, settings: TestbedSettings): Markup {
  return html`<section class="overview" aria-labelledby="overview">
<h1 id="overview">Gateway Test Service</h1>
<p class="lead">An HTTP backend for testing gateways, proxies and clients: ${endpointCount} endpoints that echo, delay, encode, redirect, authenticate and fail exactly as asked. Every example on this page is also a test that the service passes.</p>
<dl class="address">
<dt>Base address</dt><dd class="copyable"><pre tabindex="0" aria-label="Base address">${baseUrl}</pre><button type="button" class="copy">Copy</button></dd>
<dt>Version</dt><dd>${version}</dd>
<dt>Descriptions</dt><dd><a href="openapi.json">OpenAPI 3.1</a>, <a href="v2/application.wadl">WADL</a></dd>
</dl>
${renderOverlay(baseUrl, settings)}
<div class="columns">
<div>${renderSwitches(settings)}</div>
<div>${renderLimits(settings.limits)}</div>
</div>
</section>`;
}

type ControlName = keyof typeof overlayControls;

/** What each control does, with a value to try. */
const CONTROLS: Readonly<Record<ControlName, { does: Content; example: string }>> = {
  delay: { does: 'waits so many milliseconds before the answer', example: '250' },
  status: { does: 'answers with another status, 200 to 599', example: '503' },
  fault: {
    does: html`breaks the answer on the wire: one of <details class="inline"><summary>${wireFaultNames.length} faults</summary>${wireFaultNames.join(', ')}</details>`,
    example: 'reset-mid-body',
  },
  encoding: { does: `codes the content: ${codings.join(', ')}`, example: 'gzip' },
  header: { does: 'adds a header field; may be repeated', example: 'X-Added: yes' },
};

function renderOverlay(baseUrl: string, { hasOverlay }: TestbedSettings): Markup {
  if (!hasOverlay) return html`<h2>Control overlay</h2><p>The control overlay is switched off here.</p>`;
  const rows = Object.entries(overlayControls).map(([name, { header, query }]) => {
    const { does, example } = CONTROLS[name as ControlName];
    return html`
<tr><td><code>${header}: ${example}</code></td><td><code>${query}=${encodeURIComponent(example)}</code></td><td>${does}</td></tr>`;
  });
  return html`<h2>Control overlay</h2>
<p>Any request to any endpoint may ask for a different answer, by a header field or by its twin in the query.</p>
<div class="scroll"><table class="controls">
<thead><tr><th scope="col">Header field</th><th scope="col">In the query</th><th scope="col">Effect</th></tr></thead>
<tbody>${rows}
<tr><td><code>X-Test-Journal: my-run</code></td><td><code>__journal=my-run</code></td><td>records the request; read it at <code>/journal/my-run</code></td></tr></tbody>
</table></div>
<div class="copyable"><pre tabindex="0" aria-label="curl line with two controls">curl -i -H 'X-Test-Delay: 250' -H 'X-Test-Status: 503' '${baseUrl}/get'</pre><button type="button" class="copy">Copy</button></div>`;
}

function renderSwitches({ dialect, isPublic, allowsUnsafe }: TestbedSettings): Markup {
  return html`<h2>Switches</h2>
<dl class="settings">
<dt>Verbose echo</dt><dd><code>?verbose=1</code> or <code>X-Test-Verbose: 1</code> adds <code>_meta</code>: fields as sent, protocol and connection.</dd>
<dt>Dialect</dt><dd>Answers follow ${dialect === 'go' ? 'go-httpbin' : 'httpbin'}; <code>?dialect=${dialect === 'go' ? 'httpbin' : 'go'}</code> or <code>X-Test-Dialect</code> asks for the other.</dd>
<dt>Public mode</dt><dd>${isPublic ? 'On: raw XSS, bombs, unsafe faults and open redirects are refused.' : 'Off. Start with --public on an open network.'}</dd>
<dt>Unsafe faults</dt><dd>${allowsUnsafe ? 'Allowed: answers may desynchronise a shared connection.' : 'Refused, as they would desynchronise a shared connection.'}</dd>
</dl>`;
}

const LIMITS: Readonly<Record<keyof TestbedLimits, string>> = {
  maxBodyBytes: 'Request body',
  maxVerifyBytes: 'Request body of verify endpoints',
  maxDecodedBytes: 'Request body, decoded',
  maxDelayMs: 'Delay',
  maxStreamBytes: 'Generated response body',
  maxBombBytes: 'Decompressed bomb',
  maxParts: 'Parts of a form',
  maxUploadFolderBytes: 'All uploaded files',
  maxMessagesBytes: 'All messages of a WebSocket or gRPC call',
};

function renderLimits(limits: TestbedLimits): Markup {
  const rows = Object.entries(LIMITS).map(([name, title]) => {
    const value = limits[name as keyof TestbedLimits];
    return html`<dt>${title}</dt><dd>${amount(name, value)}</dd>`;
  });
  return html`<h2>Limits in force</h2>
<dl class="settings limits">${rows}</dl>`;
}

/** Limits say their unit at the end of their names. */
function amount(name: string, value: number): string {
  if (name.endsWith('Ms')) return `${value / 1000} s`;
  if (!name.endsWith('Bytes')) return String(value);
  const units = ['bytes', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(value, 1)) / 10), units.length - 1);
  return `${Number((value / 1024 ** power).toFixed(1))} ${units[power]}`;
}
