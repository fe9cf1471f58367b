import { isUtf8 } from 'node:buffer';
import { unreadableDocument } from './engine-error.ts';
import { repeatedName } from './json-members.ts';
import type { SourceDocument } from './mapping.ts';

/** A document as it was sent, and what it says. */
export interface ParsedSource {
  /** Kept byte for byte. */
  readonly source: string;
  readonly document: SourceDocument;
}

/** Refuses what is no JSON object, and one that holds a name twice: nobody could say which of the two counts. */
export function parseSource(bytes: Buffer): ParsedSource {
  if (!isUtf8(bytes)) throw unreadableDocument('json_parse_exception', 'Invalid UTF-8');
  const source = bytes.toString('utf8');
  let document: unknown;
  try {
    document = JSON.parse(source);
  } catch (error) {
    throw unreadableDocument('json_parse_exception', (error as Error).message);
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw unreadableDocument('not_x_content_exception', 'a document must be a JSON object');
  const repeated = repeatedName(source);
  if (repeated !== undefined)
    throw unreadableDocument('json_parse_exception', `Duplicate field '${repeated}'`);
  return { source, document: document as SourceDocument };
}
