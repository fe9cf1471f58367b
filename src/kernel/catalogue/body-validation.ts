import type { TSchema } from 'typebox';
import type { Exchange } from '../../http1/exchange.ts';
import { fault } from '../faults.ts';
import type { BodyDeclaration } from './endpoint.ts';
import { type Check, compileCheck } from './schema-check.ts';

/** Reads, parses and checks the JSON body of one entry; undefined when an optional body is absent. */
export type ReadJsonBody = (exchange: Exchange) => Promise<unknown>;

export function compileJsonBody(
  declaration: BodyDeclaration & { json: TSchema },
  maxBytes: number,
): ReadJsonBody {
  let checking: Promise<Check> | undefined;
  return async (exchange) => {
    const { headers } = exchange.head;
    if (exchange.body.isPresent) {
      refuseOtherTypes(headers.first('content-type'));
      refuseCodings(headers.get('content-encoding'));
    }
    const bytes = await exchange.body.bytes(maxBytes);
    if (bytes.length === 0) {
      if (declaration.required) throw fault('body.required', { rule: 'send JSON' });
      return undefined;
    }
    const value = parseJson(bytes);
    checking ??= compileCheck(declaration.json);
    const check = await checking;
    const broken = check(value);
    if (broken) throw fault('body.invalid', { ...broken });
    return value;
  };
}

const JSON_TYPE = /^application\/(json|[\w.!#$&^-]+\+json)$/;

/** A missing Content-Type is taken for JSON; so is every `+json` type. Text is UTF-8 (RFC 8259 §8.1). */
function refuseOtherTypes(contentType: string | undefined): void {
  if (contentType === undefined) return;
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?(utf-?8|us-ascii)"?$/.test(charset);
  if (JSON_TYPE.test(type) && isUtf8) return;
  throw fault('body.unsupported-type', { type: contentType, accepted: 'application/json in UTF-8' });
}

function refuseCodings(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || contentEncoding.toLowerCase() === 'identity') return;
  throw fault('encoding.unsupported', { coding: contentEncoding, accepted: 'identity' }, [
    'Accept-Encoding',
    'identity',
  ]);
}

function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    // A fresh decoder each time: it drops a byte order mark and refuses invalid UTF-8.
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw fault('body.invalid', { pointer: '', rule: 'is not valid UTF-8' }, [], { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const rule = `is not JSON: ${(error as Error).message}`;
    throw fault('body.invalid', { pointer: '', rule }, [], { cause: error });
  }
}
