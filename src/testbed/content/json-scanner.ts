import type { RequestBody } from '../../http1/exchange.ts';
import { type Fault, fault } from '../../kernel/faults.ts';
import { atMost } from './bounded-body.ts';

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

type State =
  | 'value'
  | 'first-value'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'after'
  | 'string'
  | 'escape'
  | 'unicode'
  | 'number'
  | 'literal';

// Deeper texts are legal, but nobody sends them in good faith.
const MAX_DEPTH = 10_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const MAX_NUMBER_LENGTH = 1024;
const literals = ['true', 'false', 'null'];

/**
 * Checks that bytes are a JSON text (RFC 8259) while they pass, keeping nothing of them. A body of any size
 * costs no memory and never blocks for longer than one chunk takes. Strings are not checked for valid UTF-8.
 */
export class JsonScanner {
  #state: State = 'value';
  #offset = 0;
  #mistake: JsonMistake | undefined;
  /** The containers that are open, outermost first: true for an object. */
  readonly #isObject: boolean[] = [];
  /** The string being read is the name of a member. */
  #isKey = false;
  #unicodeDigits = 0;
  /** The number or literal being read. */
  #word = '';
  #kind: JsonSummary['kind'] | undefined;
  #depth = 0;
  #size = 0;

  get mistake(): JsonMistake | undefined {
    return this.#mistake;
  }

  write(chunk: Uint8Array): void {
    for (let index = 0; index < chunk.length && !this.#mistake; index++) {
      if (this.#state === 'string') index = skipPlain(chunk, index);
      if (index === chunk.length) break;
      this.#step(chunk[index]!, this.#offset + index);
    }
    this.#offset += chunk.length;
  }

  /** The summary, or undefined when `mistake` says why there is none. */
  end(): JsonSummary | undefined {
    if (!this.#mistake && (this.#state === 'number' || this.#state === 'literal'))
      this.#endWord(this.#offset);
    if (!this.#mistake && (this.#state !== 'after' || this.#isObject.length > 0)) {
      this.#fail(this.#offset, 'the text ends before its value is complete');
    }
    if (this.#mistake || !this.#kind) return undefined;
    return { kind: this.#kind, size: this.#size, depth: this.#depth };
  }

  #step(byte: number, offset: number): void {
    switch (this.#state) {
      case 'string':
        if (byte === QUOTE) this.#state = this.#isKey ? 'colon' : 'after';
        else if (byte === BACKSLASH) this.#state = 'escape';
        else this.#fail(offset, 'a control character in a string must be escaped');
        return;
      case 'escape':
        this.#escape(byte, offset);
        return;
      case 'unicode':
        if (!isHexDigit(byte)) this.#fail(offset, '\\u must be followed by four hex digits');
        else if (--this.#unicodeDigits === 0) this.#state = 'string';
        return;
      case 'number':
      case 'literal':
        if (isWordByte(byte)) {
          this.#extendWord(byte, offset);
          return;
        }
        this.#endWord(offset);
        if (!this.#mistake) this.#step(byte, offset);
        return;
      default:
        if (!isSpace(byte)) this.#structure(byte, offset);
    }
  }

  #structure(byte: number, offset: number): void {
    switch (this.#state) {
      case 'first-key':
      case 'key':
        if (byte === QUOTE) this.#beginString(true);
        else if (byte === CLOSE_BRACE && this.#state === 'first-key') this.#close();
        else this.#fail(offset, 'expected the name of a member');
        return;
      case 'colon':
        if (byte === 0x3a) this.#state = 'value';
        else this.#fail(offset, 'expected a colon');
        return;
      case 'after':
        this.#afterValue(byte, offset);
        return;
      default:
        if (byte === CLOSE_BRACKET && this.#state === 'first-value') this.#close();
        else this.#beginValue(byte, offset);
    }
  }

  #beginValue(byte: number, offset: number): void {
    const depth = this.#isObject.length;
    if (depth === 1) this.#size++;
    const begin = (kind: JsonSummary['kind']) => {
      if (depth === 0) this.#kind = kind;
    };
    if (byte === QUOTE) {
      begin('string');
      this.#beginString(false);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      begin(byte === OPEN_BRACE ? 'object' : 'array');
      this.#open(byte === OPEN_BRACE, offset);
    } else if (byte === 0x2d || isDigit(byte)) {
      begin('number');
      this.#beginWord('number', byte);
    } else if (byte === 0x74 || byte === 0x66 || byte === 0x6e) {
      begin('literal');
      this.#beginWord('literal', byte);
    } else this.#fail(offset, 'expected a value');
  }

  #afterValue(byte: number, offset: number): void {
    const isInObject = this.#isObject.at(-1);
    if (isInObject === undefined) this.#fail(offset, 'nothing may follow the value');
    else if (byte === COMMA) this.#state = isInObject ? 'key' : 'value';
    else if (byte === (isInObject ? CLOSE_BRACE : CLOSE_BRACKET)) this.#close();
    else this.#fail(offset, isInObject ? 'expected a comma or }' : 'expected a comma or ]');
  }

  #open(isObject: boolean, offset: number): void {
    this.#isObject.push(isObject);
    this.#depth = Math.max(this.#depth, this.#isObject.length);
    if (this.#isObject.length > MAX_DEPTH) this.#fail(offset, `must not be deeper than ${MAX_DEPTH}`);
    this.#state = isObject ? 'first-key' : 'first-value';
  }

  #close(): void {
    this.#isObject.pop();
    this.#state = 'after';
  }

  #beginString(isKey: boolean): void {
    this.#isKey = isKey;
    this.#state = 'string';
  }

  #escape(byte: number, offset: number): void {
    if (byte === 0x75) {
      this.#unicodeDigits = 4;
      this.#state = 'unicode';
    } else if ('"\\/bfnrt'.includes(String.fromCharCode(byte))) this.#state = 'string';
    else this.#fail(offset, 'this character cannot be escaped');
  }

  #beginWord(state: 'number' | 'literal', byte: number): void {
    this.#word = String.fromCharCode(byte);
    this.#state = state;
  }

  #extendWord(byte: number, offset: number): void {
    this.#word += String.fromCharCode(byte);
    if (this.#word.length > MAX_NUMBER_LENGTH)
      this.#fail(offset, `a number has at most ${MAX_NUMBER_LENGTH} digits here`);
  }

  #endWord(offset: number): void {
    const isWhole = this.#state === 'number' ? WHOLE_NUMBER.test(this.#word) : literals.includes(this.#word);
    if (isWhole) this.#state = 'after';
    else this.#fail(offset - this.#word.length, `${this.#word.slice(0, 20)} is no value`);
  }

  #fail(offset: number, rule: string): void {
    this.#mistake ??= { offset, rule };
  }
}

/** Reads a whole JSON text, byte for byte. What is no JSON is refused at the first byte that says so. */
export async function readJsonText(body: RequestBody, maxBytes: number): Promise<Buffer> {
  const scanner = new JsonScanner();
  const chunks: Buffer[] = [];
  for await (const chunk of atMost(body, maxBytes)) {
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

/** The index of the next byte that means something inside a string. */
function skipPlain(chunk: Uint8Array, from: number): number {
  let index = from;
  while (index < chunk.length) {
    const byte = chunk[index]!;
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
    index++;
  }
  return index;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** Bytes numbers and literals are made of: letters, digits, signs and the point. */
function isWordByte(byte: number): boolean {
  return (
    isDigit(byte) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e
  );
}
