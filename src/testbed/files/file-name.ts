import { fault } from '../../kernel/faults.ts';

const MAX_NAME_BYTES = 200;
/** Windows opens a device for these names, whatever their extension. */
const DEVICE_NAME = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)/i;

const rules: ReadonlyArray<readonly [isBroken: (name: string) => boolean, rule: string]> = [
  [(name) => name === '', 'must not be empty'],
  [(name) => Buffer.byteLength(name) > MAX_NAME_BYTES, `must not be longer than ${MAX_NAME_BYTES} bytes`],
  [(name) => /[\\/]/.test(name), 'must not contain / or \\'],
  [
    (name) => /[\x00-\x1f\x7f-\x9f\ufffd\u2028\u2029]/.test(name),
    'must not contain control characters or broken UTF-8',
  ],
  [
    (name) => name.startsWith('.') || /[. ]$/.test(name),
    'must not begin with a dot, nor end with a dot or a space',
  ],
  [(name) => /[:*?"<>|]/.test(name), 'must not contain any of : * ? " < > |'],
  [(name) => DEVICE_NAME.test(name), 'must not be the name of a device'],
];

/** A name that stays inside its folder on every system; anything else is refused, never repaired. */
export function safeFileName(name: string, place: 'path' | 'form' | 'query' = 'path'): string {
  const normal = name.normalize('NFC');
  const broken = rules.find(([isBroken]) => isBroken(normal));
  if (broken) throw fault('parameter.invalid', { in: place, name: 'fileName', rule: broken[1] });
  return normal;
}

const types: Readonly<Record<string, string>> = {
  bin: 'application/octet-stream',
  csv: 'text/csv; charset=utf-8',
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  pdf: 'application/pdf',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** What a file is, as far as its name tells. */
export function mediaTypeOfName(name: string): string {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return types[extension] ?? 'application/octet-stream';
}

/** RFC 6266: the name in UTF-8 for everyone, and something readable for those who only know ASCII. */
export function attachmentDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\]/g, '\\$&');
  if (ascii === name) return `attachment; filename="${ascii}"`;
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
