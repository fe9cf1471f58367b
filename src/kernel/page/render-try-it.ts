import { type Documented, inputsOf, type OperationInput } from '../catalogue/operations.ts';
import { type Content, html, type Markup } from './html.ts';
import { choicesOf, typeText } from './schema-text.ts';

const METHODS_WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const PLACE_TITLES = { path: 'Path', query: 'Query', header: 'Headers' };

/**
 * The form that sends a request from the browser. Its fields take anything, bad values too: a test service is there to
 * be given them. What is typed goes into the target, which may also be changed directly.
 */
export function renderTryIt(endpoint: Documented): Markup {
  const { path, methods, responses } = endpoint;
  const inputs = inputsOf(endpoint);
  const at = (place: OperationInput['place']) => inputs.filter((input) => input.place === place);
  const takesBody = methods.some((method) => !METHODS_WITHOUT_BODY.has(method));
  // With credentials the browser would answer a challenge by asking for a password itself.
  const isChallenging = '401' in responses;
  return html`<form class="try-it" data-path="${path}" aria-label="Try it" autocomplete="off" novalidate>
<h3>Try it</h3>
<div class="request-line">
<label><span>Method</span>${renderMethodField(methods)}</label>
<label><span>Target</span><input name="target" spellcheck="false" value="${path}"></label>
</div>
${renderFields('path', [...at('path'), ...unnamedRest(path)])}
${renderFields('query', at('query'))}
${renderFields('header', at('header'))}
<label><span>More headers</span><textarea name="headers" rows="2" spellcheck="false" placeholder="Name: value"></textarea></label>
${
  takesBody &&
  html`<label><span>Body</span><textarea name="body" rows="4" spellcheck="false"></textarea></label>
<label class="switch"><input type="checkbox" name="isBase64"> The body is base64</label>`
}
<label class="switch"><input type="checkbox" name="hasCredentials"${!isChallenging && html` checked`}> Send cookies</label>
<label class="switch"><input type="checkbox" name="followsRedirects" checked> Follow redirects</label>
<div class="actions"><button class="send">Send</button><button type="button" class="stop" hidden>Stop</button></div>
<div class="copyable"><pre class="live" tabindex="0" aria-label="curl line of this request"></pre><button type="button" class="copy">Copy</button></div>
<div class="answer" role="status"></div>
</form>`;
}

/** Where any method is taken, any may be typed. */
function renderMethodField(methods: readonly string[]): Markup {
  const named = methods.filter((method) => method !== 'ANY');
  if (methods.includes('ANY'))
    return html`<input name="method" spellcheck="false" value="${named[0] ?? 'GET'}">`;
  return html`<select name="method">${named.map((method) => html`<option>${method}</option>`)}</select>`;
}

function unnamedRest(path: string): OperationInput[] {
  if (!path.endsWith('/**')) return [];
  return [{ place: 'path', name: '**', schema: { type: 'string' }, isRequired: false }];
}

function renderFields(place: OperationInput['place'], inputs: readonly OperationInput[]): Content {
  if (inputs.length === 0) return undefined;
  return html`<fieldset><legend>${PLACE_TITLES[place]}</legend>${inputs.map(renderField)}</fieldset>`;
}

function renderField({ place, name, schema }: OperationInput): Markup {
  const choices = choicesOf(schema);
  const listId = `choices-${place}-${name}`;
  const hint = schema.default === undefined ? typeText(schema) : String(schema.default);
  return html`
<label><span>${name}</span><input name="${place}:${name}" spellcheck="false" placeholder="${hint}"${choices && html` list="${listId}"`}></label>${
    choices &&
    html`<datalist id="${listId}">${choices.map((choice) => html`<option value="${choice}"></option>`)}</datalist>`
  }`;
}
