import { STATUS_CODES } from '../../http1/status-codes.ts';
import type { BodyDeclaration, Example } from '../catalogue/endpoint.ts';
import { type Documented, inputsOf, type OperationInput } from '../catalogue/operations.ts';
import { curlLine } from './browser/curl-line.js';
import { promisesOf } from './expectation-text.ts';
import { type Content, html, type Markup, prose } from './html.ts';
import type { PageContext } from './page-context.ts';
import { renderMethod } from './render-list.ts';
import { renderTryIt } from './render-try-it.ts';
import { choicesOf, rulesOf, typeText } from './schema-text.ts';
import { shownRequest } from './shown-request.ts';

/** Everything there is to say about one endpoint, and the form to try it: what an opened row shows. */
export function renderEndpoint(endpoint: Documented, context: PageContext): Markup {
  return html`<div class="full">
<div class="reference">
${endpoint.description && html`<p>${prose(endpoint.description)}</p>`}
${renderFacts(endpoint)}
${renderInputs(inputsOf(endpoint))}
${endpoint.body && renderBody(endpoint.body)}
${renderResponses(endpoint)}
${renderExamples(endpoint, context)}
</div>
${renderTryIt(endpoint)}
</div>`;
}

function renderFacts({ id, methods, aliases, spec }: Documented): Markup {
  return html`<ul class="facts">
${methods.length > 1 && html`<li>${methods.map(renderMethod)}</li>`}
${aliases && html`<li>also at ${aliases.map((alias, index) => [index > 0 && ', ', html`<code>${alias}</code>`])}</li>`}
${spec && html`<li>specification ${spec}</li>`}
<li><a href="#/${id}">Link to this endpoint</a></li>
</ul>`;
}

function renderInputs(inputs: readonly OperationInput[]): Content {
  if (inputs.length === 0) return undefined;
  return html`<h3>Parameters</h3>
<div class="scroll"><table class="parameters">
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Default</th><th scope="col">Rule</th></tr></thead>
<tbody>${inputs.map(renderInput)}</tbody>
</table></div>`;
}

function renderInput({ name, place, schema, isRequired }: OperationInput): Markup {
  const choices = choicesOf(schema);
  const rules = rulesOf(schema);
  const shownDefault =
    schema.default === undefined
      ? html`<span class="none">–</span>`
      : html`<code>${shownValue(schema.default)}</code>`;
  return html`
<tr><td><code>${name}</code>${isRequired && html` <span class="required">required</span>`}</td>
<td>${place}</td><td>${typeText(schema)}</td><td>${shownDefault}</td>
<td>${choices && separated(choices.map((choice) => html`<code>${choice}</code>`))}${rules.join('; ')}${schema.description && html`<p>${prose(schema.description)}</p>`}</td></tr>`;
}

function shownValue(value: unknown): string {
  return typeof value === 'string' ? value || '""' : JSON.stringify(value);
}

function separated(items: readonly Content[]): Content {
  return items.map((item, index) => [index > 0 && ', ', item]);
}

function renderBody({ description, required, content }: BodyDeclaration): Markup {
  return html`<h3>Request body</h3>
${description && html`<p>${prose(description)}</p>`}
<dl class="media">${Object.entries(content).map(
    ([type, schema]) => html`
<dt><code>${type === '*/*' ? 'any type' : type}</code>${required && html` <span class="required">required</span>`}</dt>${renderSchema(schema)}`,
  )}</dl>`;
}

/** A schema that says nothing is not shown. */
function renderSchema(schema: object): Content {
  const text = JSON.stringify(schema, null, 2);
  return (
    text !== '{}' &&
    html`<dd><details><summary class="fold">Schema</summary><pre>${text}</pre></details></dd>`
  );
}

function renderResponses({ responses }: Documented): Markup {
  return html`<h3>Responses</h3>
<dl class="responses">${Object.entries(responses).map(
    ([status, { description, content, headers }]) => html`
<dt><span class="status" data-class="${status[0]}">${status}</span></dt>
<dd>${prose(description)}${
      content &&
      html` <span class="types">${Object.keys(content)
        .filter((type) => type !== '*/*')
        .join(', ')}</span>`
    }${
      headers &&
      html`<span class="fields">${Object.entries(headers).map(([name, purpose]) => html`<code>${name}</code> ${prose(purpose)} `)}</span>`
    }</dd>`,
  )}</dl>`;
}

function renderExamples(endpoint: Documented, context: PageContext): Content {
  const shown = endpoint.examples.filter((example) => example.shown !== false);
  if (shown.length === 0) return undefined;
  return html`<h3>Examples</h3>
${shown.map((example) => renderExample(endpoint, example, context))}`;
}

function renderExample(endpoint: Documented, example: Example, { baseUrl }: PageContext): Markup {
  const request = shownRequest(endpoint, example);
  const { name, setUp = [], expect } = example;
  const lines = [...setUp.map((before) => shownRequest(endpoint, before)), request].map((one) =>
    curlLine(one, baseUrl),
  );
  const promises = promisesOf(expect);
  return html`<article class="example">
<header><h4>${name}</h4>${expect.status && html`<span class="status" data-class="${String(expect.status)[0]!}" title="${STATUS_CODES[expect.status] ?? ''}">${expect.status}</span>`}
<button type="button" class="use" data-request="${JSON.stringify(request)}">Use in the form</button></header>
<div class="copyable"><pre tabindex="0" aria-label="curl line">${lines.join('\n')}</pre><button type="button" class="copy">Copy</button></div>
${promises.length > 0 && html`<dl class="promises">${promises.map(({ subject, text }) => html`<dt>${subject}</dt><dd>${text}</dd>`)}</dl>`}
</article>
`;
}
