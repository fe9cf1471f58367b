import type { HeapSnapshot } from './heap-snapshot.ts';

/** V8 tells the beginning of a string, no more than so many code units of it. */
const SHOWN_UNITS = 1024;
const HEAD_BYTES = 16;
const EXTERNAL_HEAD_BYTES = 32;

export interface StringShape {
  readonly isTwoByte: boolean;
  /** In code units. */
  readonly length: number;
}

interface Layout {
  readonly isTwoByte: boolean;
  readonly headBytes: number;
}

const usualLayout: Layout = { isTwoByte: false, headBytes: HEAD_BYTES };

/** Finds out how long strings are, beyond what the snapshot shows of them. */
export class StringLengths {
  readonly #snapshot: HeapSnapshot;
  readonly #mapName: number;
  readonly #layouts = new Map<number, Layout>();

  constructor(snapshot: HeapSnapshot) {
    this.#snapshot = snapshot;
    this.#mapName = snapshot.strings.placeOf('map');
  }

  of(node: number, shownLength: number): StringShape {
    const { isTwoByte, headBytes } = this.#layoutOf(node);
    // Sizes are multiples of eight bytes, so a long string may seem to have up to seven units more than it has.
    const capacity = Math.floor((this.#snapshot.nodes.selfSize[node]! - headBytes) / (isTwoByte ? 2 : 1));
    return { isTwoByte, length: capacity > SHOWN_UNITS + 8 ? Math.max(shownLength, capacity) : shownLength };
  }

  /** V8 names the layout in the map of the string, as in `system / Map (ExternalOneByteString)`. */
  #layoutOf(node: number): Layout {
    const { nodes, edges, strings } = this.#snapshot;
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      if (edges.name[edge] !== this.#mapName) continue;
      const name = nodes.name[edges.to[edge]!]!;
      let layout = this.#layouts.get(name);
      if (!layout) {
        const text = strings.text(name);
        const headBytes = text.includes('External') ? EXTERNAL_HEAD_BYTES : HEAD_BYTES;
        layout = { isTwoByte: text.includes('TwoByte'), headBytes };
        this.#layouts.set(name, layout);
      }
      return layout;
    }
    return usualLayout;
  }
}
