/**
 * Names of members and collections become part of queries, and some come from outside (`sort=name`). Only plain words
 * pass, so that none of them can be read as SQL or as an operator.
 */
export function assertPlainName(name: string): void {
  if (!/^\w{1,100}$/.test(name)) throw new TypeError(`${JSON.stringify(name)} is no plain name`);
}
