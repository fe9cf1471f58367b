/** The fixed bodies of the encoding tests: constant to the byte, and long enough that every coding makes them smaller. */
export interface Sample {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const LINE_COUNT = 40;

const lines = Array.from(
  { length: LINE_COUNT },
  (_, index) => `${String(index + 1).padStart(2, '0')} Pijamalı hasta yağız şoföre çabucak güvendi.\n`,
);

const records = Array.from({ length: 20 }, (_, index) => ({
  id: index + 1,
  city: ['İstanbul', 'Ankara', 'İzmir', 'Muğla'][index % 4],
  isOpen: index % 3 === 0,
}));

const xmlRecords = records.map(({ id, city }) => `  <city id="${id}">${city}</city>\n`).join('');
const htmlRecords = records.map(({ id, city }) => `    <li value="${id}">${city}</li>\n`).join('');

export const samples = {
  text: sample('text/plain; charset=utf-8', lines.join('')),
  json: sample('application/json', `${JSON.stringify({ test: 'encoding', records }, null, 2)}\n`),
  xml: sample(
    'application/xml',
    `<?xml version="1.0" encoding="UTF-8"?>\n<cities>\n${xmlRecords}</cities>\n`,
  ),
  html: sample(
    'text/html; charset=utf-8',
    `<!doctype html>\n<html lang="tr">\n  <title>Cities</title>\n  <ol>\n${htmlRecords}  </ol>\n</html>\n`,
  ),
  binary: { contentType: 'application/octet-stream', bytes: everyByte(8) },
  empty: sample('text/plain; charset=utf-8', ''),
} satisfies Record<string, Sample>;

export type SampleName = keyof typeof samples;
export const sampleNames = Object.keys(samples) as SampleName[];

function sample(contentType: string, text: string): Sample {
  return { contentType, bytes: Buffer.from(text) };
}

/** All 256 byte values in order, a number of times. */
function everyByte(times: number): Buffer {
  return Buffer.from(Array.from({ length: 256 * times }, (_, index) => index % 256));
}
