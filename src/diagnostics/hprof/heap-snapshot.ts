import type { SnapshotStrings } from './snapshot-strings.ts';

/** V8's heap snapshot, column by column. Nodes and edges are known by their place in it. */
export interface HeapSnapshot {
  readonly nodeTypes: readonly string[];
  readonly edgeTypes: readonly string[];
  readonly nodes: NodeColumns;
  readonly edges: EdgeColumns;
  readonly strings: SnapshotStrings;
}

export interface NodeColumns {
  readonly count: number;
  readonly type: Uint8Array;
  /** A place in `strings`. */
  readonly name: Uint32Array;
  /** V8's own, which stays the same from snapshot to snapshot. */
  readonly id: Uint32Array;
  readonly selfSize: Float64Array;
  /** Where the edges of a node begin; those of the next one begin where they end. One more than there are nodes. */
  readonly firstEdge: Uint32Array;
}

export interface EdgeColumns {
  readonly type: Uint8Array;
  /** A place in `strings`, or for elements and hidden edges a number. */
  readonly name: Uint32Array;
  readonly to: Uint32Array;
}
