import type { RequestBody } from '../../http1/exchange.ts';
import { type Fault, fault } from '../../kernel/faults.ts';
import { atMost } from './bounded-body.ts';
import * as grammar from './json-grammar.ts';

/** What is known of a JSON text after its last byte. */
export interface JsonSummary {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'literal';
  /** Members or elements of the outermost value; 0 for a scalar. */
  readonly size: number;
  /** Deepest nesting; 0 for a scalar. */
  readonly depth: number;
}

export interface JsonMistake {
  /** Of the byte at which the text stops being JSON. */
  readonly offset: number;
  readonly rule: string;
}

// Deeper texts are legal, but nobody sends them in good faith.
const MAX_DEPTH = 10_000;

/**
 * Checks that bytes are a JSON text (RFC 8259) while they pass, keeping nothing of them. A body of any size
 * costs no memory and never blocks for longer than one chunk takes. Strings are not checked for valid UTF-8.
 */
export class JsonScanner {
  #state: number = grammar.VALUE;
  #offset = 0;
  #mistake: JsonMistake | undefined;
  /** The containers that are open, outermost first: true for an object. */
  readonly #isObject: boolean[] = [];
  #kind: JsonSummary['kind'] | undefined;
  #depth = 0;
  #size = 0;

  get mistake(): JsonMistake | undefined {
    return this.#mistake;
  }

  write(chunk: Uint8Array): void {
    if (this.#mistake) return;
    this.#kind ??= kindOf(chunk);
    const { transitions } = grammar;
    let state = this.#state;
    for (let index = 0; index < chunk.length; index++) {
      const next = transitions[state * 256 + chunk[index]!]!;
      if (next !== grammar.MISTAKE && next < grammar.FIRST_ACTION) {
        state = next;
        continue;
      }
      const after = this.#act(next, state);
      if (after === grammar.MISTAKE) {
        this.#mistake ??= { offset: this.#offset + index, rule: grammar.expectationAt(state) };
        return;
      }
      state = after;
    }
    this.#state = state;
    this.#offset += chunk.length;
  }

  /** The summary, or undefined when `mistake` says why there is none. */
  end(): JsonSummary | undefined {
    if (this.#mistake) return undefined;
    if (!this.#kind || this.#isObject.length > 0 || !grammar.completeStates.has(this.#state)) {
      this.#mistake = { offset: this.#offset, rule: 'the text ends before its value is complete' };
      return undefined;
    }
    return { kind: this.#kind, size: this.#size, depth: this.#depth };
  }

  /** What brackets and commas do; the answer is the next state. */
  #act(action: number, state: number): number {
    switch (action) {
      case grammar.OPEN_OBJECT:
      case grammar.OPEN_ARRAY:
        return this.#open(action === grammar.OPEN_OBJECT);
      case grammar.CLOSE_OBJECT:
      case grammar.CLOSE_ARRAY:
        return this.#close(action === grammar.CLOSE_OBJECT, state);
      case grammar.NEXT_ITEM:
        return this.#nextItem();
      default:
        return grammar.MISTAKE;
    }
  }

  #open(isObject: boolean): number {
    if (this.#isObject.length === MAX_DEPTH) return grammar.MISTAKE;
    this.#isObject.push(isObject);
    this.#depth = Math.max(this.#depth, this.#isObject.length);
    return isObject ? grammar.FIRST_KEY : grammar.FIRST_VALUE;
  }

  #close(isObject: boolean, state: number): number {
    if (this.#isObject.at(-1) !== isObject) return grammar.MISTAKE;
    const isEmpty = state === grammar.FIRST_KEY || state === grammar.FIRST_VALUE;
    if (this.#isObject.length === 1 && !isEmpty) this.#size++;
    this.#isObject.pop();
    return grammar.AFTER;
  }

  #nextItem(): number {
    const isInObject = this.#isObject.at(-1);
    if (isInObject === undefined) return grammar.MISTAKE;
    if (this.#isObject.length === 1) this.#size++;
    return isInObject ? grammar.KEY : grammar.VALUE;
  }
}

/** Reads a whole JSON text, byte for byte. What is no JSON is refused at the first byte that says so. */
export async function readJsonText(body: RequestBody, maxBytes: number): Promise<Buffer> {
  const scanner = new JsonScanner();
  const chunks: Buffer[] = [];
  for await (const chunk of atMost(body, maxBytes)) {
    body.keeps(body.receivedLength);
    scanner.write(chunk);
    if (scanner.mistake) throw noJson(scanner.mistake);
    chunks.push(chunk);
  }
  if (!scanner.end()) throw noJson(scanner.mistake!);
  return Buffer.concat(chunks);
}

function noJson({ offset, rule }: JsonMistake): Fault {
  return fault('body.invalid', { rule: `is no JSON at byte ${offset}: ${rule}` });
}

/** What the outermost value is by its first byte; undefined while there is only white space. */
function kindOf(chunk: Uint8Array): JsonSummary['kind'] | undefined {
  const first = chunk.find((byte) => byte > 0x20);
  if (first === undefined) return undefined;
  const character = String.fromCharCode(first);
  if (character === '{') return 'object';
  if (character === '[') return 'array';
  if (character === '"') return 'string';
  return /[-0-9]/.test(character) ? 'number' : 'literal';
}
