import type { CollectorMetadata } from './collector-settings.ts';

/** The envelope up to the record; the record and `}` follow. */
export interface EnvelopeOpening {
  at(timeMs: number): string;
  /** How many more bytes than characters it has. */
  readonly extraBytes: number;
}

/**
 * `{"time":1767225600.000,"host":"…","event":`. Time is in seconds. Collectors refuse null, so that metadata nobody
 * filled in is left out.
 */
export function envelopeOpening(metadata: CollectorMetadata): EnvelopeOpening {
  const { host, source, sourcetype, index } = metadata;
  const members = Object.entries({ host, source, sourcetype, index })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`)
    .join('');
  const rest = `,${members}"event":`;
  return {
    at: (timeMs) => `{"time":${(timeMs / 1000).toFixed(3)}${rest}`,
    extraBytes: Buffer.byteLength(rest) - rest.length,
  };
}
