import type { Exchange } from '../../../http1/exchange.ts';
import { parseQuery, type QueryPairs } from '../../../kernel/catalogue/query.ts';
import { fault } from '../../../kernel/faults.ts';

export interface TokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
}

const FORM = 'application/x-www-form-urlencoded';
const GRANT_TYPE = 'client_credentials';
const MAX_FORM_BYTES = 16 * 1024;

/** Reads the request of the token endpoint: a form and nothing else (spec 2 §2.1, §4.1). */
export async function readTokenRequest({ head, body }: Exchange): Promise<TokenRequest> {
  refuseOtherTypes(head.headers.get('content-type'), head.headers.get('content-encoding'));
  const pairs = parseForm(await body.bytes(MAX_FORM_BYTES));
  if (single(pairs, 'grant_type') !== GRANT_TYPE) throw fault('sign-in.grant-type');
  return { clientId: required(pairs, 'client_id'), clientSecret: required(pairs, 'client_secret') };
}

function refuseOtherTypes(contentType: string | undefined, contentEncoding: string | undefined): void {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type !== FORM) {
    const sent = type?.endsWith('json') ? ', not JSON' : '';
    throw invalid(`The body must be a form of Content-Type ${FORM}${sent}.`);
  }
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity')
    throw invalid('The form must be sent without a Content-Encoding.');
}

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

function parseForm(bytes: Buffer): QueryPairs {
  const raw = bytes.toString('latin1');
  const pairs = parseQuery(raw);
  const isForm = raw.includes('=') && !BAD_ESCAPE.test(raw) && !pairs.flat().some(hasReplacement);
  if (!isForm) throw invalid(`The body is not a form as ${FORM} writes it.`);
  return pairs;
}

/** Bytes that are no UTF-8 come out as this character; a form that really holds it is not missed. */
function hasReplacement(text: string): boolean {
  return text.includes('\uFFFD');
}

/** A field without a value counts as left out (RFC 6749 §3.2). */
function single(pairs: QueryPairs, name: string): string | undefined {
  const values = pairs.filter(([key]) => key === name).map(([, value]) => value);
  if (values.length > 1) throw invalid(`The field ${name} must not be repeated.`);
  return values[0] || undefined;
}

function required(pairs: QueryPairs, name: string): string {
  const value = single(pairs, name);
  if (value === undefined) throw invalid(`The field ${name} is required.`);
  return value;
}

function invalid(rule: string) {
  return fault('sign-in.invalid', { rule });
}
