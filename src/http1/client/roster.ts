/** May stand in one roster at a time. */
export interface RosterMember {
  /** Kept by the roster. */
  rosterPlace: number;
}

/** The place of whoever stands in none. */
export const NO_PLACE = -1;

/**
 * Those who are at work, in no order. A Map or Set whose members change with every call goes from table to table, each
 * of which points to the next: once one is old, V8 keeps all that follow, with the members of their day, until the next
 * full collection.
 */
export class Roster<Member extends RosterMember> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Member): void {
    member.rosterPlace = this.#members.push(member) - 1;
  }

  /** False: it was not in there. */
  delete(member: Member): boolean {
    const place = member.rosterPlace;
    if (this.#members[place] !== member) return false;
    const last = this.#members.pop()!;
    if (last !== member) {
      this.#members[place] = last;
      last.rosterPlace = place;
    }
    member.rosterPlace = NO_PLACE;
    return true;
  }

  /** As they are now: whoever walks through them may take some away. */
  members(): Member[] {
    return [...this.#members];
  }
}
