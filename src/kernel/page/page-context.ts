import type { Documented } from '../catalogue/operations.ts';

/** A group as the page shows it. */
export interface PageGroup {
  readonly name: string;
  /** Its anchor. */
  readonly slug: string;
  readonly purpose: string;
  readonly endpoints: readonly Documented[];
}

/** What every part of the page may have to know. */
export interface PageContext {
  /** Where the client reaches the service, without a slash at the end. */
  readonly baseUrl: string;
}

/** The groups by name, as a reader looks for them; one without endpoints is not shown. */
export function groupsOf(
  groups: ReadonlyArray<{ readonly name: string; readonly description: string }>,
  catalogue: readonly Documented[],
): PageGroup[] {
  return groups
    .map(({ name, description }) => ({
      name,
      slug: `group-${name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/-$/, '')}`,
      purpose: description,
      endpoints: catalogue.filter(({ group }) => group === name),
    }))
    .filter(({ endpoints }) => endpoints.length > 0)
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
}
