import type { Block } from './body-memory.ts';
import type { DeliveryAddress } from './delivery-address.ts';
import type { DeliveryEvent, Fallback } from './delivery-event.ts';
import type { EventMarks } from './event-marks.ts';

/** Shared by a batch and everything it was divided into. */
interface Family {
  refusals: number;
  hasDelivered: boolean;
}

export interface BatchParts {
  readonly address: DeliveryAddress;
  readonly fallback: Fallback;
  readonly body: Buffer;
  /** The memory that body and marks are a part of, when it is all the batch's own. */
  readonly block?: Block | undefined;
  readonly marks: EventMarks;
  /** Bytes after the record of every event. */
  readonly closingBytes: number;
  /** What it takes of the buffer until it is settled. */
  readonly chargedBytes: number;
}

/** Events that travel together, from the moment they are closed to their end. */
export class Batch {
  readonly address: DeliveryAddress;
  readonly fallback: Fallback;
  readonly body: Buffer;
  readonly block: Block | undefined;
  /** Events in it. */
  readonly size: number;
  readonly chargedBytes: number;
  /** The body compressed: made once, used for every attempt. */
  gzipped: Buffer | undefined = undefined;
  /** Attempts after the first, since it was last sent for acknowledgement. */
  retries = 0;
  ackResends = 0;
  /** Its end is decided; whatever still comes in for it is too late. */
  isSettled = false;
  readonly #marks: EventMarks;
  readonly #closingBytes: number;
  readonly #family: Family;

  constructor(parts: BatchParts, family: Family = { refusals: 0, hasDelivered: false }) {
    this.address = parts.address;
    this.fallback = parts.fallback;
    this.body = parts.body;
    this.block = parts.block;
    this.size = parts.marks.count;
    this.chargedBytes = parts.chargedBytes;
    this.#marks = parts.marks;
    this.#closingBytes = parts.closingBytes;
    this.#family = family;
  }

  /** The event as it came in, whatever it was wrapped in. */
  event(index: number): DeliveryEvent & { readonly record: string; readonly timeMs: number } {
    const marks = this.#marks;
    return {
      record: this.body.toString('utf8', marks.recordStartOf(index), marks.endOf(index) - this.#closingBytes),
      timeMs: marks.timeMsOf(index),
      context: marks.contextOf(index),
    };
  }

  /** A batch of the events from `from` up to, not including, `to`; the bytes are shared. */
  slice(from: number, to: number): Batch {
    const marks = this.#marks;
    const start = from === 0 ? 0 : marks.endOf(from - 1);
    const isLast = to === this.size;
    const body = this.body.subarray(start, marks.endOf(to - 1));
    // What the whole was charged is given back to the last byte: the rounding stays with the last part.
    const chargeOf = (count: number) => Math.floor((this.chargedBytes * count) / this.size);
    return new Batch(
      {
        address: this.address,
        fallback: this.fallback,
        body,
        marks: marks.slice(from, to),
        closingBytes: this.#closingBytes,
        chargedBytes: (isLast ? this.chargedBytes : chargeOf(to)) - chargeOf(from),
      },
      this.#family,
    );
  }

  noteDelivered(): void {
    this.#family.hasDelivered = true;
  }

  /** Counts a refusal of this batch or of a part of it. */
  noteRefused(): void {
    this.#family.refusals++;
  }

  /** Whether dividing goes on to make sense: a target that refused so many parts and took none takes nothing. */
  get isWorthDividing(): boolean {
    return this.#family.hasDelivered || this.#family.refusals < MAX_FRUITLESS_REFUSALS;
  }
}

/** Enough to look at 32 parts of a batch. */
const MAX_FRUITLESS_REFUSALS = 63;
