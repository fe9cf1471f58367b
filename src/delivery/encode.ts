import type { DeliveryEvent } from './delivery-event.ts';
import type { CollectorMetadata } from './event-collector/collector-settings.ts';
import { envelopeOpening } from './event-collector/envelope.ts';

/** An event as it will stand in a body: opening, record, and the encoder's closing. */
export interface EncodedEvent {
  /** The envelope before the record; empty where there is none. */
  readonly opening: string;
  readonly openingBytes: number;
  /** The record. */
  readonly json: string;
  /** Of all three parts in UTF-8. */
  readonly bytes: number;
  readonly timeMs: number;
  readonly context: DeliveryEvent['context'];
}

export interface Encoder {
  /** Throws when the record has no JSON text. */
  encode(event: DeliveryEvent): EncodedEvent;
  /** What follows every record; ASCII. */
  readonly closing: string;
}

/** How events of one connection are written: bare or in the collector's envelope, with an end of line in batches. */
export function createEncoder(
  isBatched: boolean,
  metadata: CollectorMetadata | undefined,
  nowMs: () => number,
): Encoder {
  const envelope = metadata && envelopeOpening(metadata);
  const closing = (metadata ? '}' : '') + (isBatched ? '\n' : '');
  return {
    closing,
    encode(event) {
      const json = recordText(event.record);
      const timeMs = event.timeMs ?? nowMs();
      const opening = envelope ? envelope.at(timeMs) : '';
      const openingBytes = envelope ? opening.length + envelope.extraBytes : 0;
      const bytes = openingBytes + Buffer.byteLength(json) + closing.length;
      return { opening, openingBytes, json, bytes, timeMs, context: event.context };
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
