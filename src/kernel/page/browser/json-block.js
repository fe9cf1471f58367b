import { codeBlock, element } from './elements.js';

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Indented and coloured; undefined when it is no JSON after all. Numbers stay as they were written. */
export function jsonBlock(text) {
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
