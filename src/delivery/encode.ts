import type { DeliveryEvent } from './delivery-event.ts';
import type { CollectorMetadata } from './event-collector/collector-settings.ts';
import { envelopeOpening } from './event-collector/envelope.ts';

/** An event as it will stand in a body, with what is needed to get its record out again. */
export interface EncodedEvent {
  /** Envelope and end of line included, where there are any. */
  readonly text: string;
  /** Of the text in UTF-8. */
  readonly bytes: number;
  /** Bytes of the envelope before the record. */
  readonly openingBytes: number;
  readonly timeMs: number;
  readonly context: DeliveryEvent['context'];
}

export interface Encoder {
  /** Throws when the record has no JSON text. */
  encode(event: DeliveryEvent, nowMs: number): EncodedEvent;
  /** Bytes after the record in every text. */
  readonly closingBytes: number;
}

/** How events of one connection are written: bare or in the collector's envelope, with an end of line in batches. */
export function createEncoder(isBatched: boolean, metadata: CollectorMetadata | undefined): Encoder {
  const opening = metadata && envelopeOpening(metadata);
  const closing = (metadata ? '}' : '') + (isBatched ? '\n' : '');
  return {
    closingBytes: closing.length,
    encode({ record, timeMs: givenTimeMs, context }, nowMs) {
      const timeMs = givenTimeMs ?? nowMs;
      const json = recordText(record);
      const start = opening ? opening.at(timeMs) : '';
      const text = start + json + closing;
      return {
        text,
        bytes: Buffer.byteLength(text),
        openingBytes: opening ? start.length + opening.extraBytes : 0,
        timeMs,
        context,
      };
    },
  };
}

/** A record takes one line. In valid JSON a bare line break can only stand between tokens, where a space is as good. */
export function recordText(record: object | string): string {
  if (typeof record === 'string') return /[\r\n]/.test(record) ? record.replace(/[\r\n]/g, ' ') : record;
  const json: string | undefined = JSON.stringify(record);
  if (json === undefined) throw new TypeError('the record has no JSON text');
  return json;
}
