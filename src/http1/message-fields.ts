import { trimBlanks } from './characters.ts';
import { isSameName } from './header-list.ts';

/**
 * The fields of one message in wire order, together with those that decide about framing and the connection.
 * They are picked out while the fields are read, so that nobody searches the list again.
 */
export class MessageFields {
  readonly pairs: string[] = [];
  host: string | undefined = undefined;
  hostCount = 0;
  contentLength: string | undefined = undefined;
  contentLengthCount = 0;
  /** Lines joined by a comma, as are the two below. */
  transferEncoding: string | undefined = undefined;
  connection: string | undefined = undefined;
  expect: string | undefined = undefined;

  add(name: string, value: string): void {
    this.pairs.push(name, value);
    // Most names differ from all of these in length.
    switch (name.length) {
      case 4:
        if (isSameName(name, 'host')) {
          this.hostCount++;
          this.host ??= value;
        }
        break;
      case 6:
        if (isSameName(name, 'expect')) this.expect = joined(this.expect, value);
        break;
      case 10:
        if (isSameName(name, 'connection')) {
          this.connection = joined(this.connection, value);
        }
        break;
      case 14:
        if (isSameName(name, 'content-length')) {
          this.contentLengthCount++;
          this.contentLength ??= value;
        }
        break;
      case 17:
        if (isSameName(name, 'transfer-encoding')) {
          this.transferEncoding = joined(this.transferEncoding, value);
        }
        break;
    }
  }
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

/** The members of a comma-separated list, trimmed and in lower case; empty members do not count (RFC 9110 §5.6.1). */
export function listMembers(value: string): string[] {
  const members: string[] = [];
  for (const part of value.split(',')) {
    const member = trimBlanks(part).toLowerCase();
    if (member !== '') members.push(member);
  }
  return members;
}
