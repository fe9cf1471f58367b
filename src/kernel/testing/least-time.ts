/** How long an act takes at best. A machine that is busy with other tests says nothing about the code, but not every time. */
export async function leastMs(act: () => unknown, rounds = 5): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const startedAtMs = performance.now();
    await act();
    least = Math.min(least, performance.now() - startedAtMs);
  }
  return least;
}
