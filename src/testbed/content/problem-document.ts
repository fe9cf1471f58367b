import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { writeXml, type XmlElement, xmlElement } from './xml.ts';

/** A problem document (RFC 9457) as it stands, with the status it names. */
export function problemJson(
  document: { readonly status: number } & Readonly<Record<string, unknown>>,
  headers: readonly string[] = [],
): PlainAnswer {
  const body = `${JSON.stringify(document, null, 2)}\n`;
  return reply.bytes(body, 'application/problem+json', { status: document.status, headers });
}

/** The XML form of RFC 7807 appendix A: arrays are elements named `i`. */
export function problemXml(problem: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(problem).map(([name, value]) => memberElement(name, value));
  return writeXml(xmlElement('problem', members, { xmlns: 'urn:ietf:rfc:7807' }));
}

function memberElement(name: string, value: unknown): XmlElement {
  if (Array.isArray(value))
    return xmlElement(
      name,
      value.map((item) => memberElement('i', item)),
    );
  if (typeof value === 'object' && value !== null) {
    return xmlElement(
      name,
      Object.entries(value).map(([inner, innerValue]) => memberElement(inner, innerValue)),
    );
  }
  return xmlElement(name, [String(value)]);
}

export interface Finding {
  readonly pointer: string;
  readonly rule: string;
}

export interface ProblemReview {
  /** What RFC 9457 forbids. */
  readonly errors: Finding[];
  /** What it advises against. */
  readonly warnings: Finding[];
}

const TEXT_MEMBERS = ['type', 'title', 'detail', 'instance'];
const URI_REFERENCE = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;

/** Looks at a parsed problem document as RFC 9457 §3 describes it. */
export function reviewProblem(document: unknown): ProblemReview {
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    return { errors: [{ pointer: '#', rule: 'must be an object' }], warnings };
  }
  const members = document as Readonly<Record<string, unknown>>;
  for (const name of TEXT_MEMBERS) {
    const value = members[name];
    if (value === undefined) continue;
    if (typeof value !== 'string') errors.push({ pointer: `#/${name}`, rule: 'must be a string' });
    else if ((name === 'type' || name === 'instance') && !URI_REFERENCE.test(value)) {
      errors.push({ pointer: `#/${name}`, rule: 'must be a URI reference' });
    }
  }
  const { status } = members;
  if (status !== undefined && !(Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599)) {
    errors.push({ pointer: '#/status', rule: 'must be an integer from 100 to 599' });
  }
  if (members.type === undefined)
    warnings.push({ pointer: '#/type', rule: 'is absent and counts as about:blank' });
  if (members.title === undefined) warnings.push({ pointer: '#/title', rule: 'should be there for people' });
  for (const name of Object.keys(members)) {
    if (TEXT_MEMBERS.includes(name) || name === 'status') continue;
    if (!/^[A-Za-z][A-Za-z0-9_]{2,}$/.test(name)) {
      warnings.push({
        pointer: `#/${name}`,
        rule: 'should be a letter and at least two letters, digits or underscores',
      });
    }
  }
  return { errors, warnings };
}
