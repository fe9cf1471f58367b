import type { WaitingRecord } from '../store/unsent/unsent-records.ts';

/** A record that can be sent. */
export interface PreparedRecord {
  readonly record: WaitingRecord;
  readonly aci: string | undefined;
  /** The first line of its part of a bulk request: what to create. */
  readonly head: string;
  /** The second one, byte for byte. Texts stay apart until they are bytes: joining them would copy each once more. */
  readonly content: string;
  /** Of both lines. */
  readonly bytes: number;
}

/** A record that stays where it is, and why. */
export interface RefusedRecord {
  readonly record: WaitingRecord;
  readonly aci: string | undefined;
  readonly reason: string;
}

const LINE_BREAK = 10;
/** Elasticsearch and OpenSearch take no longer ids. */
const LONGEST_ID_BYTES = 512;

/**
 * The content goes out as it is: parsed to be checked, never written anew, so that large integers, the order of members and
 * every blank survive. Only a line break, which would end the line, becomes a blank; in JSON it can stand between tokens alone.
 */
export function prepare(record: WaitingRecord, maxBytes: number): PreparedRecord | RefusedRecord {
  const refused = (reason: string, aci?: string): RefusedRecord => ({ record, aci, reason });
  const { id, content, bytes } = record;
  if (id === '' || Buffer.byteLength(id) > LONGEST_ID_BYTES)
    return refused('its id cannot be the id of a document');
  if (bytes > maxBytes) return refused(`it is larger than ${maxBytes} bytes`);
  if (content === undefined) return refused('its content is no text');
  if (!content.isWellFormed()) return refused('its content is no valid Unicode');
  const members = membersOf(content);
  if (typeof members === 'string') return refused(members);
  const aci = typeof members.aci === 'string' ? members.aci : undefined;
  if (!isTime(members['@timestamp'])) return refused('its content has no @timestamp', aci);
  const head = `{"create":{"_id":${JSON.stringify(id)}}}`;
  const line = onOneLine(content);
  return { record, aci, head, content: line, bytes: Buffer.byteLength(head) + Buffer.byteLength(line) + 2 };
}

/** How long the body of a bulk request is. */
export function bulkBytes(records: readonly PreparedRecord[]): number {
  return records.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The body of a bulk request, written into a buffer that is long enough. */
export function bulkBody(
  records: readonly PreparedRecord[],
  body = Buffer.allocUnsafeSlow(bulkBytes(records)),
): Buffer {
  let end = 0;
  for (const { head, content } of records) {
    for (const line of [head, content]) {
      end += body.write(line, end);
      body[end++] = LINE_BREAK;
    }
  }
  return body.subarray(0, end);
}

/** What a record says of itself without being checked any further. */
export function correlationIdOf({ content }: WaitingRecord): string | undefined {
  const members = content === undefined ? '' : membersOf(content);
  return typeof members === 'object' && typeof members.aci === 'string' ? members.aci : undefined;
}

/** The members of the object that the text is, or what is wrong with it. */
function membersOf(content: string): Readonly<Record<string, unknown>> | string {
  try {
    const value: unknown = JSON.parse(content);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : 'its content is no JSON object';
  } catch {
    return 'its content is no JSON';
  }
}

/** Whether it is a time that the stream's mapping takes, the index says. */
function isTime(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function onOneLine(content: string): string {
  return /[\r\n]/.test(content) ? content.replace(/[\r\n]/g, ' ') : content;
}
