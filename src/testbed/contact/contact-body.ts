import { type Check, compileCheck } from '../../kernel/catalogue/schema-check.ts';
import { Fault, fault } from '../../kernel/faults.ts';
import { contentTypeOf } from '../content/charsets.ts';
import { childElements, parseXml, textContent } from '../content/xml.ts';
import type { TestbedCall } from '../endpoint.ts';
import type { Contact } from '../state/contacts.ts';
import { contactIntegers, contactMembers, contactSchema } from './contact.schema.ts';
import { contactTypes } from './contact-media.ts';

const xmlLimits = { maxBytes: 1024 * 1024, maxDepth: 10, maxNodes: 100 };
let checking: Promise<Check> | undefined;

/** The contact of the body, or why it is none. With an id from the path the body may leave its own out. */
export async function validContact(call: TestbedCall, pathId?: number): Promise<Contact | string> {
  const { request, exchange, services } = call;
  const bytes = await exchange.body.bytes(services.settings.limits.maxBodyBytes);
  if (bytes.length === 0) return 'a body is required';
  let given: unknown;
  try {
    given = readContact(request.headers.first('content-type'), bytes);
  } catch (error) {
    // Which status bad input gets is for the endpoint to say.
    if (error instanceof Fault && error.status === 400) return error.message;
    throw error;
  }
  if (isObject(given) && pathId !== undefined) given = { id: pathId, ...given };
  checking ??= compileCheck(contactSchema);
  const check = await checking;
  const broken = check(given);
  if (broken) return `the body ${broken.rule}`;
  const valid = given as Contact;
  if (pathId !== undefined && valid.id !== pathId) return `the body at /id must be ${pathId}, as in the path`;
  return knownMembers(valid);
}

/** What the body says, not yet checked. Without a Content-Type it is taken for JSON. */
function readContact(contentType: string | undefined, bytes: Uint8Array): unknown {
  const { type = contentType === undefined ? 'application/json' : '' } = contentTypeOf(contentType);
  if (/^(application\/|text\/)xml$|\+xml$/.test(type)) return contactOfXml(bytes);
  if (/^application\/json$|\+json$/.test(type)) return contactOfJson(bytes);
  throw fault('body.unsupported-type', { type: contentType, accepted: contactTypes.join(', ') });
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
  const members = childElements(root).map((element) => {
    const { localName } = element;
    const text = textContent(element);
    const isInteger = contactIntegers.has(localName) && /^\s*[+-]?\d+\s*$/.test(text);
    return [localName, isInteger ? Number(text) : text];
  });
  return Object.fromEntries(members);
}

/** In the order of the schema, without whatever else was sent. */
function knownMembers(contact: Contact): Contact {
  const members = contactMembers.filter((name) => name in contact);
  return Object.fromEntries(
    members.map((name) => [name, contact[name as keyof Contact]]),
  ) as unknown as Contact;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
