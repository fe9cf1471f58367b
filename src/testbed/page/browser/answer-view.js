/** More of a body than this is counted, but not kept for showing. */
const MOST_SHOWN_BYTES = 512 * 1024;
const HEX_BYTES = 512;
const SHOW_EVERY_MS = 150;

/** Shows an answer while it arrives, and says plainly when it does not. */
export class AnswerView {
  #root;
  #imageUrl;

  constructor(root) {
    this.#root = root;
  }

  refuse(reason) {
    this.#root.replaceChildren(note(reason, 'problem'));
  }

  /** Never throws: whatever goes wrong is part of the answer. */
  async show({ notes, respond }) {
    const startedAt = performance.now();
    URL.revokeObjectURL(this.#imageUrl);
    this.#root.replaceChildren(note('Waiting for the answer …'));
    let response;
    try {
      response = await respond();
    } catch (error) {
      this.#root.replaceChildren(...notes.map((text) => note(text)), note(failureText(error, startedAt), 'problem'));
      return;
    }
    const headMs = performance.now() - startedAt;
    const facts = element('p', 'facts-of-answer');
    const content = element('div', 'content');
    this.#root.replaceChildren(
      ...[...notes, ...notesOn(response)].map((text) => note(text)),
      statusLine(response),
      facts,
      headerTable(response.headers),
      content,
    );
    const body = new ArrivingBody(response);
    let problem;
    try {
      for await (const _ of body.pieces()) {
        facts.textContent = `head after ${duration(headMs)}, ${amount(body.length)} so far`;
        content.replaceChildren(...body.render());
      }
    } catch (error) {
      problem = `${failureText(error, startedAt)} ${amount(body.length)} of the body had arrived.`;
    }
    const totalMs = performance.now() - startedAt;
    facts.textContent = `head after ${duration(headMs)}, all after ${duration(totalMs)}, ${amount(body.length)}`;
    content.replaceChildren(...body.render({ isWhole: problem === undefined, keepUrl: (url) => this.#keep(url) }));
    if (problem) content.before(note(problem, 'problem'));
  }

  #keep(url) {
    this.#imageUrl = url;
  }
}

class ArrivingBody {
  length = 0;
  #response;
  #type;
  #kept = [];
  #keptLength = 0;

  constructor(response) {
    this.#response = response;
    this.#type = response.headers.get('content-type') ?? '';
  }

  /** Yields now and then while the body arrives. */
  async *pieces() {
    if (!this.#response.body) return;
    let shownAt = performance.now();
    for await (const chunk of chunksOf(this.#response.body)) {
      this.length += chunk.length;
      if (this.#keptLength < MOST_SHOWN_BYTES) {
        this.#kept.push(chunk);
        this.#keptLength += chunk.length;
      }
      if (performance.now() - shownAt < SHOW_EVERY_MS) continue;
      shownAt = performance.now();
      yield;
    }
  }

  render({ isWhole = false, keepUrl } = {}) {
    if (this.length === 0) return isWhole ? [note('The body is empty.')] : [];
    const bytes = joined(this.#kept);
    const cut = this.length > bytes.length ? [note(`Only the first ${amount(bytes.length)} are shown.`)] : [];
    if (isWhole && /^image\//i.test(this.#type) && cut.length === 0) return [this.#image(bytes, keepUrl)];
    const text = asText(bytes, this.#type);
    if (text === undefined) return [...cut, codeBlock(hexDump(bytes), 'First bytes of the body')];
    const isJson = isWhole && cut.length === 0 && /[/+]json\b/i.test(this.#type);
    return [...cut, (isJson && jsonBlock(text)) || codeBlock(text, 'Body')];
  }

  #image(bytes, keepUrl) {
    const image = element('img');
    image.src = URL.createObjectURL(new Blob([bytes], { type: this.#type }));
    image.alt = `The image of the answer, ${this.#type}`;
    keepUrl(image.src);
    return image;
  }
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(stream) {
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

function joined(chunks) {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Text by the declared charset, or by being UTF-8 without control characters; undefined for anything else. */
function asText(bytes, type) {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1];
  const isDeclared = /^text\/|[/+](?:json|xml)\b|javascript|x-www-form-urlencoded/i.test(type);
  try {
    const text = new TextDecoder(charset ?? 'utf-8', { fatal: !isDeclared }).decode(bytes);
    return isDeclared || !/[\x00-\x08\x0e-\x1f]/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

function hexDump(bytes) {
  const lines = [];
  for (let at = 0; at < Math.min(bytes.length, HEX_BYTES); at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = row.map((byte) => (byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`);
  }
  if (bytes.length > HEX_BYTES) lines.push('…');
  return lines.join('\n');
}

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Indented and coloured; undefined when it is no JSON after all. Numbers stay as they were written. */
function jsonBlock(text) {
  const indented = indentedJson(text);
  if (indented === undefined) return undefined;
  const block = codeBlock('', 'Body');
  let at = 0;
  for (const match of indented.matchAll(JSON_TOKEN)) {
    const [token, string, colon, number] = match;
    block.append(indented.slice(at, match.index));
    const kind = string ? (colon ? 'key' : 'string') : number ? 'number' : 'word';
    block.append(element('span', `json-${kind}`, string ?? token), colon ?? '');
    at = match.index + token.length;
  }
  block.append(indented.slice(at));
  return block;
}

function indentedJson(text) {
  try {
    const value = JSON.parse(text);
    // What has line breaks was laid out by the server, whose layout may be the point.
    return text.trim().includes('\n') ? text : JSON.stringify(value, null, 2);
  } catch {
    return undefined;
  }
}

function statusLine({ status, statusText, type }) {
  const line = element('p', 'status-line');
  const badge = element('span', 'status', type === 'opaqueredirect' ? 'redirect' : String(status));
  badge.dataset.class = type === 'opaqueredirect' ? '3' : String(status)[0];
  line.append(badge, ` ${statusText}`);
  return line;
}

function notesOn(response) {
  const notes = [];
  if (response.redirected) notes.push(`Redirected to ${response.url}.`);
  if (response.type === 'opaqueredirect') notes.push('The answer is a redirect, of which the browser shows nothing.');
  return notes;
}

function headerTable(headers) {
  const details = element('details', 'answer-headers');
  details.open = true;
  const list = element('dl');
  for (const [name, value] of headers) list.append(element('dt', '', name), element('dd', '', value));
  details.append(element('summary', '', `Headers (${[...headers].length})`), list);
  return details;
}

function failureText(error, startedAt) {
  const after = duration(performance.now() - startedAt);
  if (error.name === 'AbortError') return `Stopped after ${after}.`;
  return `The browser could not complete the response (${error.message}, after ${after}). Where a fault was asked for, that is the answer; the curl line shows it on the wire.`;
}

function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

function amount(bytes) {
  return bytes < 10_000 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(1)} KiB`;
}

function note(text, kind = '') {
  return element('p', `note ${kind}`.trim(), text);
}

function codeBlock(text, label) {
  const block = element('pre', '', text);
  block.tabIndex = 0;
  block.setAttribute('aria-label', label);
  return block;
}

function element(name, className = '', text = '') {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}
