import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import type { RequestView } from '../../kernel/catalogue/request-view.ts';
import { Fault, fault } from '../../kernel/faults.ts';
import { contentTypeOf } from '../content/charsets.ts';
import { chooseMediaType } from '../content/negotiation.ts';
import { childElements, parseXml, textContent, writeXml, xmlElement } from '../content/xml.ts';
import type { Contact } from '../state/contacts.ts';
import { contactIntegers, contactMembers } from './contact.schema.ts';

const offered = ['application/json', 'application/xml', 'text/xml'] as const;
const xmlLimits = { maxBytes: 1024 * 1024, maxDepth: 10, maxNodes: 100 };

/** A contact in the type the client asked for; JSON unless it prefers XML. */
export function contactAnswer(
  request: RequestView,
  contact: Contact,
  status = 200,
  headers: string[] = [],
): PlainAnswer {
  const type = chooseMediaType(request.headers.get('accept'), offered).chosen;
  if (type === undefined) throw fault('negotiation.not-acceptable', { offered: offered.join(', ') });
  const options = { status, headers: [...headers, 'Vary', 'Accept'] };
  if (type === 'application/json') return reply.json(contact, options);
  return reply.bytes(contactXml(contact), type, options);
}

/** An error as the specification has it: a plain string, in the type the client asked for (spec 1 §4.3). */
export function contactError(request: RequestView, status: number, message: string): PlainAnswer {
  const types = [...offered, 'text/plain'] as const;
  const type = chooseMediaType(request.headers.get('accept'), types).chosen ?? 'application/json';
  const options = { status, headers: ['Vary', 'Accept'] };
  if (type === 'application/json') return reply.json(message, options);
  if (type === 'text/plain') return reply.text(message, options);
  return reply.bytes(writeXml(xmlElement('string', [message])), type, options);
}

/** What the body says, not yet checked. Without a Content-Type it is taken for JSON. */
export function readContact(contentType: string | undefined, bytes: Uint8Array): unknown {
  const { type = contentType === undefined ? 'application/json' : '' } = contentTypeOf(contentType);
  if (/^(application\/|text\/)xml$|\+xml$/.test(type)) return contactOfXml(bytes);
  if (/^application\/json$|\+json$/.test(type)) return contactOfJson(bytes);
  throw fault('body.unsupported-type', { mediaType: contentType, accepted: offered.join(', ') });
}

/** Text of a failure that happened while reading: only what concerns the input. */
export function inputFaultOf(error: unknown): Fault | undefined {
  return error instanceof Fault && error.status === 400 ? error : undefined;
}

function contactOfJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw fault('body.invalid', { rule: `is not JSON: ${(cause as Error).message}` }, [], { cause });
  }
}

function contactOfXml(bytes: Uint8Array): unknown {
  const root = parseXml(bytes, xmlLimits);
  if (root.localName !== 'Contact') {
    throw fault('body.invalid', { rule: `must have the root element Contact, not ${root.name}` });
  }
  const members = childElements(root).map(({ localName, ...element }) => {
    const text = textContent({ localName, ...element });
    const isInteger = contactIntegers.has(localName) && /^\s*[+-]?\d+\s*$/.test(text);
    return [localName, isInteger ? Number(text) : text];
  });
  return Object.fromEntries(members);
}

function contactXml(contact: Contact): string {
  const elements = contactMembers
    .map((name) => [name, contact[name as keyof Contact]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => xmlElement(name, [String(value)]));
  return writeXml(xmlElement('Contact', elements));
}
