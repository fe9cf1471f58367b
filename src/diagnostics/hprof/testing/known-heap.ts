/**
 * A process with a heap that is known: 12,345 instances of a class with three fields, one string of a megabyte, and one of
 * each of what else a heap holds. Writes its own dump into the file that it is given,
 * and says how many bytes its heap has, with what belongs to it outside. Tests only.
 */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type HeapDumpFormat, heapDump } from '../../heap-dump.ts';

class KnownTriple {
  readonly serial: number;
  readonly label: string;
  next: KnownTriple | null;

  constructor(serial: number, next: KnownTriple | null) {
    this.serial = serial;
    this.label = `triple ${serial}`;
    this.next = next;
  }
}

class Impostor {}
Object.defineProperty(Impostor, 'name', { value: 'java.lang.String' });

class KnownHolder {
  readonly triples: KnownTriple[] = [];
  /** Made from bytes, so that it is one string and not a tree of parts. */
  readonly megabyte = Buffer.alloc(1 << 20, 'gatehouse ').toString('latin1');
  readonly wideText = JSON.parse('"Grüße, \\u4e16\\u754c"') as string;
  readonly escapedText = JSON.parse('"a\\"b\\\\c\\nd\\te\\u0001\\u00e9"') as string;
  readonly fraction = Math.PI;
  readonly negative = -42;
  readonly yes = true;
  readonly nothing = null;
  readonly table = new Map([['known key', new KnownTriple(-1, null)]]);
  readonly buffer = new ArrayBuffer(123_456);
  readonly bigList = new Array(300_000).fill(this.wideText);
  readonly dictionary: Record<string, object> = {};
  readonly call = function knownFunction() {};
  /** A class that would like to pass for another. */
  readonly impostor = new Impostor();
}

const holder = new KnownHolder();
for (let serial = 0; serial < 12_344; serial++)
  holder.triples.push(new KnownTriple(serial, holder.triples.at(-1) ?? null));
for (let serial = 0; serial < 5000; serial++) holder.dictionary[`entry ${serial}`] = { serial };
Object.assign(globalThis, { holder });

const [file = '', format = 'hprof'] = process.argv.slice(2);
const chunks = heapDump(format as HeapDumpFormat, new AbortController().signal);
await pipeline(chunks, createWriteStream(file));
const { heapUsed, external } = process.memoryUsage();
console.log(heapUsed + external);
