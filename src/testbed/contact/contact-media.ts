import { type AnswerOptions, type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import type { RequestView } from '../../kernel/catalogue/request-view.ts';
import { fault } from '../../kernel/faults.ts';
import { chooseMediaType } from '../content/negotiation.ts';
import { writeXml, xmlElement } from '../content/xml.ts';
import type { Contact } from '../state/contacts.ts';
import { contactMembers } from './contact.schema.ts';

export const contactTypes = ['application/json', 'application/xml', 'text/xml'] as const;

/** The type a contact is to be shown in. What changes the store asks first: nobody is told 406 after the deed. */
export function contactTypeFor(request: RequestView): (typeof contactTypes)[number] {
  const { chosen } = chooseMediaType(request.headers.get('accept'), contactTypes);
  if (chosen === undefined) throw fault('negotiation.not-acceptable', { offered: contactTypes.join(', ') });
  return chosen;
}

/** A contact in the type the client asked for; JSON unless it prefers XML. */
export function contactAnswer(
  request: RequestView,
  contact: Contact,
  { status = 200, headers = [] }: AnswerOptions = {},
): PlainAnswer {
  const type = contactTypeFor(request);
  const options = { status, headers: [...headers, 'Vary', 'Accept'] };
  if (type === 'application/json') return reply.json(contact, options);
  return reply.bytes(contactXml(contact), type, options);
}

/** An error as the specification has it: a plain string, in the type the client asked for (spec 1 §4.3). */
export function contactError(request: RequestView, status: number, message: string): PlainAnswer {
  const types = [...contactTypes, 'text/plain'] as const;
  const type = chooseMediaType(request.headers.get('accept'), types).chosen ?? 'application/json';
  const options = { status, headers: ['Vary', 'Accept'] };
  if (type === 'application/json') return reply.json(message, options);
  if (type === 'text/plain') return reply.text(message, options);
  return reply.bytes(writeXml(xmlElement('string', [message])), type, options);
}

function contactXml(contact: Contact): string {
  const elements = contactMembers
    .map((name) => [name, contact[name as keyof Contact]] as const)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => xmlElement(name, [String(value)]));
  return writeXml(xmlElement('Contact', elements));
}
