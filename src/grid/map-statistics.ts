/** What was done with a map. */
export interface MapStatistics {
  hits: number;
  misses: number;
  puts: number;
  removes: number;
  evictions: number;
}

export function noStatistics(): MapStatistics {
  return { hits: 0, misses: 0, puts: 0, removes: 0, evictions: 0 };
}
