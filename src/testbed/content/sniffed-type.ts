import { isUtf8 } from 'node:buffer';
import { detectBom } from './charsets.ts';

/** Byte patterns at the start of a body, in hex, and the type they give away (after the WHATWG sniffing standard). */
const signatures: ReadonlyArray<readonly [hex: string, type: string]> = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['474946383761', 'image/gif'],
  ['474946383961', 'image/gif'],
  ['424d', 'image/bmp'],
  ['255044462d', 'application/pdf'],
  ['1f8b08', 'application/gzip'],
  ['28b52ffd', 'application/zstd'],
  ['504b0304', 'application/zip'],
  ['0061736d', 'application/wasm'],
  ['4f67675300', 'application/ogg'],
];

const LOOKED_AT_BYTES = 1445;

/** What a body looks like, whatever its label says. */
export function sniffedType(bytes: Buffer): string {
  if (bytes.length === 0) return 'application/x-empty';
  const start = bytes.toString('hex', 0, 16);
  const signature = signatures.find(([hex]) => start.startsWith(hex));
  if (signature) return signature[1];
  if (/^52494646.{8}57454250/.test(start)) return 'image/webp';
  return isBinary(bytes) ? 'application/octet-stream' : textType(bytes);
}

/** Control characters no text holds; a byte-order mark says that what looks binary is text. */
function isBinary(bytes: Buffer): boolean {
  if (detectBom(bytes)) return false;
  return /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(bytes.toString('latin1', 0, LOOKED_AT_BYTES));
}

function textType(bytes: Buffer): string {
  const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').replace(/^\uFEFF/, '');
  const start = text.slice(0, LOOKED_AT_BYTES).trimStart();
  if (start.startsWith('<?xml')) return 'text/xml';
  if (
    /^<(!doctype html|html|head|body|script|title|table|style|div|h1|iframe|img|a|p|b|br)[\s>]/i.test(start)
  ) {
    return 'text/html';
  }
  if (start.startsWith('<!--')) return 'text/html';
  return /^[[{]/.test(start) && isJson(text) ? 'application/json' : 'text/plain';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
