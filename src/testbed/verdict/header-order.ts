export interface OrderComparison {
  readonly ok: boolean;
  /** The named fields in the order they arrived. */
  readonly seen: readonly string[];
  /** The fewest fields whose moving explains the difference. */
  readonly moved: readonly string[];
  readonly missing: readonly string[];
}

/** Compares the relative order of the named fields; others may stand between them. Names are lower-case. */
export function compareOrder(expected: readonly string[], received: readonly string[]): OrderComparison {
  const named = new Set(expected);
  const seen = received.filter((name) => named.has(name));
  const kept = longestCommonSubsequence(expected, seen);
  const moved = seen.filter((_, index) => !kept.has(index));
  const missing = expected.filter((name) => !seen.includes(name));
  return { ok: moved.length === 0 && missing.length === 0, seen, moved: [...new Set(moved)], missing };
}

/** Indexes into `seen` of a longest sequence that stands in both in the same order. */
function longestCommonSubsequence(expected: readonly string[], seen: readonly string[]): Set<number> {
  const width = seen.length + 1;
  const lengths = new Uint32Array((expected.length + 1) * width);
  for (let row = expected.length - 1; row >= 0; row--) {
    for (let column = seen.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        expected[row] === seen[column]
          ? lengths[(row + 1) * width + column + 1]! + 1
          : Math.max(lengths[(row + 1) * width + column]!, lengths[row * width + column + 1]!);
    }
  }
  const kept = new Set<number>();
  let row = 0;
  let column = 0;
  while (row < expected.length && column < seen.length) {
    if (expected[row] === seen[column]) {
      kept.add(column);
      row++;
      column++;
    } else if (lengths[(row + 1) * width + column]! >= lengths[row * width + column + 1]!) row++;
    else column++;
  }
  return kept;
}
