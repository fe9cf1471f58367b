import { trimBlanks } from './characters.ts';

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
    // Most names differ from all of these in length or first letter, and are not lower-cased.
    switch (name.length) {
      case 4:
        if (startsWith(name, H) && name.toLowerCase() === 'host') {
          this.hostCount++;
          this.host ??= value;
        }
        break;
      case 6:
        if (startsWith(name, E) && name.toLowerCase() === 'expect') this.expect = joined(this.expect, value);
        break;
      case 10:
        if (startsWith(name, C) && name.toLowerCase() === 'connection') {
          this.connection = joined(this.connection, value);
        }
        break;
      case 14:
        if (startsWith(name, C) && name.toLowerCase() === 'content-length') {
          this.contentLengthCount++;
          this.contentLength ??= value;
        }
        break;
      case 17:
        if (startsWith(name, T) && name.toLowerCase() === 'transfer-encoding') {
          this.transferEncoding = joined(this.transferEncoding, value);
        }
        break;
    }
  }
}

const C = 0x63;
const E = 0x65;
const H = 0x68;
const T = 0x74;

function startsWith(name: string, lowerLetter: number): boolean {
  return (name.charCodeAt(0) | 0x20) === lowerLetter;
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
