import { GridRefusal } from './contract.ts';
import type { Payload, PayloadKind } from './engine.ts';

/** Between a value and what an engine keeps of it. */
export interface ValueCodec<Value> {
  readonly kind: PayloadKind;
  /** Throws GridRefusal for what cannot be kept. */
  encode(value: Value): Payload;
  decode(payload: Payload): Value;
}

export function jsonCodec<Value>(maxBytes: number): ValueCodec<Value> {
  return {
    kind: 'json',
    encode: (value) => {
      const text = asJson(value);
      if (text === undefined) throw new GridRefusal('value-invalid');
      // A code unit is at least one byte and at most three: most texts need no measuring.
      if (text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes))
        throw new GridRefusal('value-too-large');
      return text;
    },
    decode: (payload) => JSON.parse(payload as string),
  };
}

export function byteCodec(maxBytes: number): ValueCodec<Uint8Array> {
  return {
    kind: 'bytes',
    encode: (value) => {
      if (!(value instanceof Uint8Array)) throw new GridRefusal('value-invalid');
      if (value.byteLength > maxBytes) throw new GridRefusal('value-too-large');
      return value;
    },
    decode: (payload) => payload as Uint8Array,
  };
}

/** Undefined for what JSON has no form for: functions, big integers, circles. */
function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
