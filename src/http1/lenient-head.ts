import { trimBlanks } from './characters.ts';
import type { ParsedHead } from './head-parser.ts';
import type { Http1Limits } from './limits.ts';
import { MessageFields } from './message-fields.ts';
import { Refusal } from './refusals.ts';

/**
 * The lenient mode: how a careless server reads. It exists only for the port on which request smuggling is probed.
 * Limits and timeouts hold as always; beyond that it accepts, and reads thus:
 *
 * - a lone LF ends a line, a lone CR and other controls stay in the value they stand in;
 * - a request line is split at runs of whitespace: first word the method, last word the version when it begins
 *   with `HTTP/`, everything between the target; anything but 1.0 is 1.1;
 * - whitespace around a field name is cut off, a line without a colon is a field without a value, a line beginning
 *   with whitespace continues the value before it after one space (before the first field it is dropped);
 * - Host may be missing, repeated or malformed; expectations other than 100-continue are ignored;
 * - Transfer-Encoding is chunked when the word occurs anywhere in it, in HTTP/1.0 as well, and then Content-Length is
 *   ignored; any other Transfer-Encoding is ignored;
 * - of several Content-Length fields, or members of one, the first counts; a sign is skipped, and what follows the
 *   digits is ignored, so `+2` is 2 and `0x2` is 0; without any digit it is 0;
 * - a chunk size may have whitespace or `0x` before it and anything behind it; its line and its data may end in a
 *   lone LF; trailers may hold any field.
 */
export function parseHeadLeniently(text: string, limits: Http1Limits): ParsedHead {
  const lines = text.split(/\r?\n/);
  const words = lines[0]!.split(/[ \t\v\f\r]+/).filter((word) => word !== '');
  const method = words.shift() ?? '';
  if (method === '') throw new Refusal('request-line-invalid');
  if (method.length > limits.maxMethodBytes)
    throw new Refusal('method-too-long', { maxBytes: limits.maxMethodBytes });
  const version = words.at(-1)?.startsWith('HTTP/') ? words.pop() : undefined;
  const target = words.join(' ') || '/';
  if (target.length > limits.maxTargetBytes)
    throw new Refusal('target-too-long', { maxBytes: limits.maxTargetBytes });

  const fields = new MessageFields();
  parseFieldLinesLeniently(lines, 1, fields, limits.maxHeaderCount);
  return { method, target, version: version === 'HTTP/1.0' ? '1.0' : '1.1', fields };
}

export function parseFieldLinesLeniently(
  lines: readonly string[],
  from: number,
  fields: MessageFields,
  maxCount: number,
): void {
  const unfolded: string[] = [];
  for (const line of lines.slice(from)) {
    if (line === '') continue;
    if (!/^[ \t]/.test(line)) unfolded.push(line);
    else if (unfolded.length > 0) unfolded.push(`${unfolded.pop()} ${trimBlanks(line)}`);
  }
  if (unfolded.length > maxCount) throw new Refusal('too-many-headers', { maxCount });
  for (const line of unfolded) {
    const colon = line.indexOf(':');
    if (colon < 0) fields.add(trimBlanks(line), '');
    else fields.add(trimBlanks(line.slice(0, colon)), trimBlanks(line.slice(colon + 1)));
  }
}
