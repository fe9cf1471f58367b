import type { EdgeColumns, HeapSnapshot, NodeColumns } from './heap-snapshot.ts';
import { SnapshotStrings } from './snapshot-strings.ts';

/** The description of the columns comes first and is short. */
const MAX_HEAD_BYTES = 64 * 1024;
const ROWS_AT_ONCE = 4096;
const COMMA = 0x2c;
const CLOSING_BRACKET = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

interface Head {
  readonly meta: {
    readonly node_fields: readonly string[];
    readonly node_types: readonly [readonly string[], ...unknown[]];
    readonly edge_fields: readonly string[];
    readonly edge_types: readonly [readonly string[], ...unknown[]];
  };
  readonly node_count: number;
  readonly edge_count: number;
}

/** Gives the next bytes of a file, never none; undefined at its end. */
export type NextChunk = () => Uint8Array | undefined;

/** Reads a `.heapsnapshot` from its first byte to its last, holding no more of it than the columns and the strings. */
export function readHeapSnapshot(nextChunk: NextChunk): HeapSnapshot {
  const file = new SnapshotFile(nextChunk);
  const { meta, node_count, edge_count } = file.head();
  const nodes = readNodes(file, meta.node_fields, node_count);
  file.skipToSection('edges');
  const edges = readEdges(file, meta, edge_count);
  file.skipToSection('strings');
  const strings = readStrings(file.rest());
  return { nodeTypes: meta.node_types[0], edgeTypes: meta.edge_types[0], nodes, edges, strings };
}

function readNodes(file: SnapshotFile, fields: readonly string[], count: number): NodeColumns {
  const nodes = {
    count,
    type: new Uint8Array(count),
    name: new Uint32Array(count),
    id: new Uint32Array(count),
    selfSize: new Float64Array(count),
    firstEdge: new Uint32Array(count + 1),
  };
  const [type, name, id, selfSize, edgeCount] = places(fields, [
    'type',
    'name',
    'id',
    'self_size',
    'edge_count',
  ]);
  file.rows(count, fields.length, (row, cells, at) => {
    nodes.type[row] = cells[at + type!]!;
    nodes.name[row] = cells[at + name!]!;
    nodes.id[row] = cells[at + id!]!;
    nodes.selfSize[row] = cells[at + selfSize!]!;
    nodes.firstEdge[row + 1] = nodes.firstEdge[row]! + cells[at + edgeCount!]!;
  });
  return nodes;
}

function readEdges(
  file: SnapshotFile,
  { node_fields, edge_fields }: Head['meta'],
  count: number,
): EdgeColumns {
  const edges = { type: new Uint8Array(count), name: new Uint32Array(count), to: new Uint32Array(count) };
  const [type, name, to] = places(edge_fields, ['type', 'name_or_index', 'to_node']);
  file.rows(count, edge_fields.length, (row, cells, at) => {
    edges.type[row] = cells[at + type!]!;
    edges.name[row] = cells[at + name!]!;
    // V8 counts the cells before the node, not the nodes.
    edges.to[row] = cells[at + to!]! / node_fields.length;
  });
  return edges;
}

function places(fields: readonly string[], wanted: readonly string[]): number[] {
  return wanted.map((name) => {
    const place = fields.indexOf(name);
    if (place < 0) throw new Error(`the heap snapshot has no column ${name}`);
    return place;
  });
}

/** `json` is what follows the bracket: strings between quotes, parted by commas and newlines. */
function readStrings(json: Buffer): SnapshotStrings {
  let begin = new Uint32Array(1 << 16);
  let end = new Uint32Array(1 << 16);
  let count = 0;
  for (let at = json.indexOf(QUOTE); at >= 0; at = json.indexOf(QUOTE, at)) {
    if (count === begin.length) {
      begin = grown(begin);
      end = grown(end);
    }
    begin[count] = ++at;
    while (json[at] !== QUOTE) {
      if (at >= json.length) throw new Error('the heap snapshot ends within a string');
      at += json[at] === BACKSLASH ? 2 : 1;
    }
    end[count++] = at++;
  }
  return new SnapshotStrings(json, begin.subarray(0, count), end.subarray(0, count));
}

function grown(column: Uint32Array): Uint32Array<ArrayBuffer> {
  const twice = new Uint32Array(column.length * 2);
  twice.set(column);
  return twice;
}

/** The file, read forward chunk by chunk. */
class SnapshotFile {
  readonly #nextChunk: NextChunk;
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(nextChunk: NextChunk) {
    this.#nextChunk = nextChunk;
  }

  /** What the snapshot says of itself. The numbers of the nodes come next. */
  head(): Head {
    const end = ',\n"nodes":[';
    let text = '';
    while (!text.endsWith(end)) {
      if (text.length > MAX_HEAD_BYTES) throw new Error('this is no heap snapshot');
      text += String.fromCharCode(this.#next());
    }
    return JSON.parse(`${text.slice(0, -end.length)}}`).snapshot as Head;
  }

  /** Hands over each row: its number, and where in the cells it begins. */
  rows(count: number, width: number, take: (row: number, cells: Float64Array, at: number) => void): void {
    const cells = new Float64Array(ROWS_AT_ONCE * width);
    for (let first = 0; first < count; first += ROWS_AT_ONCE) {
      const rowCount = Math.min(ROWS_AT_ONCE, count - first);
      this.#numbers(cells, rowCount * width);
      for (let row = 0; row < rowCount; row++) take(first + row, cells, row * width);
    }
  }

  /** Passes by sections of numbers, whose names are the only strings. */
  skipToSection(name: string): void {
    let key = '';
    while (key !== name) {
      while (this.#next() !== QUOTE);
      key = '';
      for (let byte = this.#next(); byte !== QUOTE; byte = this.#next()) key += String.fromCharCode(byte);
    }
    while (this.#next() !== 0x5b);
  }

  /** Everything that is left, in one piece. */
  rest(): Buffer {
    const chunks = [this.#chunk.subarray(this.#at)];
    for (let chunk = this.#nextChunk(); chunk; chunk = this.#nextChunk()) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** The inner loop of it all: a large heap has a hundred million digits. */
  #numbers(into: Float64Array, count: number): void {
    let chunk = this.#chunk;
    let at = this.#at;
    let place = 0;
    let value = 0;
    while (place < count) {
      if (at === chunk.length) {
        chunk = this.#refill();
        at = 0;
      }
      const byte = chunk[at++]!;
      if (byte >= 0x30 && byte <= 0x39) value = value * 10 + (byte - 0x30);
      else if (byte === COMMA || byte === CLOSING_BRACKET) {
        into[place++] = value;
        value = 0;
      }
      // Anything else is a newline between two rows.
    }
    this.#at = at;
  }

  #next(): number {
    if (this.#at === this.#chunk.length) this.#refill();
    return this.#chunk[this.#at++]!;
  }

  #refill(): Uint8Array {
    const chunk = this.#nextChunk();
    if (!chunk) throw new Error('the heap snapshot ends too early');
    this.#chunk = chunk;
    this.#at = 0;
    return chunk;
  }
}
