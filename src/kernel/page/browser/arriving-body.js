import { amount, codeBlock, element, note } from './elements.js';
import { jsonBlock } from './json-block.js';

/** More of a body than this is counted, but not kept for showing. */
const MOST_SHOWN_BYTES = 512 * 1024;
const HEX_BYTES = 512;
const SHOW_EVERY_MS = 150;

/** The body of an answer, shown as far as it came: as JSON, text, picture, or bytes. */
export class ArrivingBody {
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
    let shownAt = Number.NEGATIVE_INFINITY;
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
    if (text === undefined) return [...cut, bytesBlock(bytes)];
    const isJson = isWhole && cut.length === 0 && /[/+]json\b/i.test(this.#type);
    return [...cut, (isJson && jsonBlock(text)) || codeBlock(text, 'Body')];
  }

  #image(bytes, keepUrl) {
    const image = element('img');
    image.src = URL.createObjectURL(new Blob([bytes], { type: this.#type }));
    image.alt = `The image of the answer, ${this.#type}`;
    // A part of a picture is none.
    image.addEventListener('error', () => image.replaceWith(bytesBlock(bytes)));
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

function bytesBlock(bytes) {
  return codeBlock(hexDump(bytes), 'First bytes of the body');
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
