import type { RequestView } from '../catalogue/request-view.ts';
import { fault } from '../faults.ts';

/** The entity tag of a resource at this revision. */
export function etagOf(revision: number): string {
  return `"${revision}"`;
}

/**
 * The revision that If-Match asks for; undefined when any will do. A stale one is the fault `revision.stale`: 412 in the
 * problem and newer contracts, 400 in the older one.
 */
export function expectedRevision({ headers }: RequestView): number | undefined {
  const ifMatch = headers.get('if-match')?.trim();
  if (ifMatch === undefined || ifMatch === '*') return undefined;
  const revision = /^"(0|[1-9]\d{0,15})"$/.exec(ifMatch)?.[1];
  if (revision === undefined) throw fault('revision.invalid');
  return Number(revision);
}

/** Refuses a change that was made upon an older revision than the current one. */
export function refuseStale(request: RequestView, revision: number): void {
  const expected = expectedRevision(request);
  if (expected !== undefined && expected !== revision) throw fault('revision.stale');
}
