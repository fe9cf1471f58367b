import { illegalArgument, invalidRequest } from './engine-error.ts';
import type { OperationType } from './write-document.ts';

/** One document of a bulk request, not parsed yet. */
export interface BulkAction {
  readonly type: OperationType;
  readonly target: string;
  readonly id: string | undefined;
  readonly bytes: Buffer;
}

const NEWLINE = 0x0a;
const LONGEST_ID_BYTES = 512;
const actionMembers = new Set(['_index', '_id', 'require_alias']);

/** Takes a bulk body apart. What is wrong with an action line refuses the whole request, as a real engine does. */
export function parseBulk(body: Buffer, defaultTarget: string | undefined): BulkAction[] {
  if (body.length > 0 && body.at(-1) !== NEWLINE)
    throw illegalArgument('The bulk request must be terminated by a newline [\\n]');
  const actions: BulkAction[] = [];
  let lineNo = 0;
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(NEWLINE, at);
    const line = body.subarray(at, end);
    at = end + 1;
    lineNo++;
    if (line.length === 0 || (line.length === 1 && line[0] === 0x0d)) continue;
    const { type, target = defaultTarget, id } = parseAction(line, lineNo);
    if (target === undefined) throw invalidRequest('index is missing');
    if (at >= body.length)
      throw illegalArgument(`Malformed action/metadata line [${lineNo}], no document follows`);
    const documentEnd = body.indexOf(NEWLINE, at);
    actions.push({ type, target, id, bytes: withoutReturn(body.subarray(at, documentEnd)) });
    at = documentEnd + 1;
    lineNo++;
  }
  if (actions.length === 0) throw invalidRequest('no requests added');
  return actions;
}

function parseAction(line: Buffer, lineNo: number): { type: OperationType; target?: string; id?: string } {
  const malformed = (what: string) => illegalArgument(`Malformed action/metadata line [${lineNo}], ${what}`);
  let action: unknown;
  try {
    action = JSON.parse(line.toString('utf8'));
  } catch {
    throw malformed('expected a JSON object');
  }
  const [member, second] = Object.entries(action ?? {});
  if (!member || second || typeof member[1] !== 'object' || member[1] === null)
    throw malformed('expected an object with one action');
  const [type, metadata] = member as [string, Record<string, unknown>];
  if (type !== 'create' && type !== 'index')
    throw malformed(`the embedded log index knows [create, index] but found [${type}]`);
  const unknown = Object.keys(metadata).find((name) => !actionMembers.has(name));
  if (unknown !== undefined)
    throw illegalArgument(`Action/metadata line [${lineNo}] contains an unknown parameter [${unknown}]`);
  const { _index: target, _id: id } = metadata;
  if (target !== undefined && typeof target !== 'string') throw malformed('_index must be a text');
  if (id === undefined || id === null) return { type, ...(target !== undefined && { target }) };
  const idText = String(id);
  checkId(idText);
  return { type, ...(target !== undefined && { target }), id: idText };
}

export function checkId(id: string): void {
  const length = Buffer.byteLength(id);
  if (length === 0) throw illegalArgument('if _id is specified it must not be empty');
  if (length > LONGEST_ID_BYTES)
    throw invalidRequest(`id [${id}] is too long, must be no longer than 512 bytes but was: ${length}`);
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}
