import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import zlib from 'node:zlib';
import type { RawExchange } from '../../testing/raw-client.ts';
import type { Expectation } from '../endpoint.ts';

/** What of an expectation does not hold, each in one line; empty when all of it does. */
export function brokenExpectations(expectation: Expectation, answer: RawExchange): string[] {
  const broken: string[] = [];
  const check = (what: string, problem: string | undefined) => {
    if (problem !== undefined) broken.push(`${what}: ${problem}`);
  };
  const { status, headers, json, text, hex, sha256, length, decodedText, wire, ends, notBeforeMs } =
    expectation;

  if (status !== undefined) check('status', differs(answer.status, status));
  for (const [name, expected] of Object.entries(headers ?? {})) {
    check(`header ${name}`, headerDiffers(answer.header(name), expected));
  }
  if ('json' in expectation)
    check(
      'json',
      jsonOf(answer.body, (actual) => jsonDiffers(actual, json, '')),
    );
  if (text !== undefined) check('text', textDiffers(answer.body.toString('utf8'), text));
  if (hex !== undefined)
    check('hex', differs(answer.body.toString('hex'), hex.replace(/\s/g, '').toLowerCase()));
  if (sha256 !== undefined) check('sha256', differs(sha256Of(answer.body), sha256.toLowerCase()));
  if (length !== undefined) check('length', differs(answer.body.length, length));
  if (decodedText !== undefined) check('decodedText', decodedDiffers(answer, decodedText));
  if (wire !== undefined) check('wire', textDiffers(answer.wire.toString('latin1'), wire));
  if (ends !== undefined) check('ends', differs(answer.ended, ends));
  if (notBeforeMs !== undefined) check('notBeforeMs', cameTooEarly(answer.firstByteMs, notBeforeMs));
  return broken;
}

function differs(actual: unknown, expected: unknown): string | undefined {
  return actual === expected ? undefined : `expected ${show(expected)}, got ${show(actual)}`;
}

function textDiffers(actual: string, expected: string | RegExp): string | undefined {
  if (typeof expected === 'string') return differs(actual, expected);
  return matches(expected, actual) ? undefined : `expected to match ${expected}, got ${show(actual)}`;
}

function headerDiffers(actual: string | undefined, expected: string | RegExp | null): string | undefined {
  if (expected === null)
    return actual === undefined ? undefined : `expected to be absent, got ${show(actual)}`;
  return actual === undefined
    ? `expected ${show(expected)}, but it is absent`
    : textDiffers(actual, expected);
}

function jsonOf(body: Buffer, compare: (value: unknown) => string | undefined): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (error) {
    return `the body is not JSON (${(error as Error).message}): ${show(body.toString('utf8'))}`;
  }
  return compare(value);
}

/** Objects are compared by the members the expectation names (undefined: must be absent), everything else whole. */
function jsonDiffers(actual: unknown, expected: unknown, pointer: string): string | undefined {
  const at = pointer === '' ? 'the value' : pointer;
  if (expected instanceof RegExp) {
    const isMatch = typeof actual === 'string' && matches(expected, actual);
    return isMatch ? undefined : `${at} expected to match ${expected}, got ${show(actual)}`;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) {
      return `${at} expected an array of ${expected.length}, got ${show(actual)}`;
    }
    return firstProblem(
      expected.map((item, index) => jsonDiffers(actual[index], item, `${pointer}/${index}`)),
    );
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) {
      return `${at} expected an object, got ${show(actual)}`;
    }
    const members = actual as Record<string, unknown>;
    return firstProblem(
      Object.entries(expected).map(([name, item]) =>
        jsonDiffers(Object.hasOwn(members, name) ? members[name] : undefined, item, `${pointer}/${name}`),
      ),
    );
  }
  return isDeepStrictEqual(actual, expected)
    ? undefined
    : `${at} expected ${show(expected)}, got ${show(actual)}`;
}

function firstProblem(problems: ReadonlyArray<string | undefined>): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

function decodedDiffers(answer: RawExchange, expected: string | RegExp): string | undefined {
  let decoded = answer.body;
  const codings = (answer.header('content-encoding') ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase());
  try {
    for (const coding of codings.reverse()) decoded = decode(coding, decoded);
  } catch (error) {
    return `Content-Encoding ${codings.join(', ')} could not be undone: ${(error as Error).message}`;
  }
  return textDiffers(decoded.toString('utf8'), expected);
}

function decode(coding: string, bytes: Buffer): Buffer {
  switch (coding) {
    case '':
    case 'identity':
      return bytes;
    case 'gzip':
    case 'x-gzip':
      return zlib.gunzipSync(bytes);
    case 'deflate':
      // The zlib wrapper begins with 0x78 in practice; without it the stream is raw deflate.
      return (bytes[0]! & 0x0f) === 8 ? zlib.inflateSync(bytes) : zlib.inflateRawSync(bytes);
    case 'br':
      return zlib.brotliDecompressSync(bytes);
    case 'zstd':
      return zlib.zstdDecompressSync(bytes);
    default:
      throw new Error(`unknown coding ${coding}`);
  }
}

// Timers count whole milliseconds and may fire a fraction of one early.
const TIMER_TOLERANCE_MS = 2;

function cameTooEarly(firstByteMs: number | undefined, notBeforeMs: number): string | undefined {
  if (firstByteMs === undefined || firstByteMs >= notBeforeMs - TIMER_TOLERANCE_MS) return undefined;
  return `expected nothing for ${notBeforeMs} ms, but the first byte came after ${firstByteMs.toFixed(1)} ms`;
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A pattern with the flag g or y keeps its place between calls; a match must not depend on that. */
function matches(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}

function show(value: unknown): string {
  if (value instanceof RegExp) return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text;
}
