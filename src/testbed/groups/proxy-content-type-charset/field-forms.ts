import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType } from '../../../kernel/catalogue/declarations.ts';
import type { Expectation } from '../../../kernel/catalogue/endpoint.ts';
import { encodeText } from '../../content/charsets.ts';
import { integrityHeaders } from '../../content/integrity.ts';
import { endpoint } from '../../endpoint.ts';

/** One unusual form of the Content-Type field. */
interface FieldForm {
  readonly name: string;
  readonly summary: string;
  /** The lines of the field, in order. */
  readonly contentTypes: readonly string[];
  readonly body: string | Buffer;
  readonly headers?: readonly string[];
  readonly expect: Expectation;
}

const page = '<!doctype html>\n<meta charset="iso-8859-9">\n<title>Şiir</title>\n';
const script = 'document.title = "This text was run as a script.";\n';

const fieldForms: readonly FieldForm[] = [
  {
    name: 'no-charset',
    summary: 'HTML whose charset only the page itself tells: ISO-8859-9 by its meta element.',
    contentTypes: ['text/html'],
    body: encodeText(page, 'iso-8859-9').bytes,
    expect: {
      headers: { 'content-type': 'text/html' },
      wire: /<meta charset="iso-8859-9">\n<title>\xdeiir</,
    },
  },
  {
    name: 'none',
    summary: 'No Content-Type field at all.',
    contentTypes: [],
    body: 'A body without a type.\n',
    expect: { headers: { 'content-type': null }, text: 'A body without a type.\n' },
  },
  {
    name: 'empty-value',
    summary: 'A Content-Type field without a value.',
    contentTypes: [''],
    body: 'A body with an empty type.\n',
    expect: { wire: /\r\nContent-Type: ?\r\n/, text: 'A body with an empty type.\n' },
  },
  {
    name: 'invalid',
    summary: 'A Content-Type that is no media type.',
    contentTypes: ['foo'],
    body: 'A body whose type is no type.\n',
    expect: { headers: { 'content-type': 'foo' }, text: 'A body whose type is no type.\n' },
  },
  {
    name: 'duplicate',
    summary: 'Two Content-Type lines that disagree.',
    contentTypes: ['text/plain; charset=utf-8', 'text/html; charset=iso-8859-9'],
    body: '<b>plain or bold?</b>\n',
    expect: {
      wire: /\r\nContent-Type: text\/plain; charset=utf-8\r\nContent-Type: text\/html; charset=iso-8859-9\r\n/,
      text: '<b>plain or bold?</b>\n',
    },
  },
  {
    name: 'uppercase',
    summary: 'A media type in capitals, which means the same.',
    contentTypes: ['TEXT/HTML;CHARSET=UTF-8'],
    body: '<p>şapka</p>\n',
    expect: { headers: { 'content-type': 'TEXT/HTML;CHARSET=UTF-8' }, text: '<p>şapka</p>\n' },
  },
  {
    name: 'params',
    summary: 'A quoted charset among parameters nobody needs, one of them with a quoted quote and semicolon.',
    contentTypes: ['text/html; version=1; charset="utf-8"; note="a;b\\"c"; flag=""'],
    body: '<p>şapka</p>\n',
    expect: {
      headers: { 'content-type': 'text/html; version=1; charset="utf-8"; note="a;b\\"c"; flag=""' },
      text: '<p>şapka</p>\n',
    },
  },
  {
    name: 'nosniff',
    summary: 'A script that is labelled text/plain and forbids guessing: no browser may run it.',
    contentTypes: ['text/plain; charset=utf-8'],
    body: script,
    headers: ['X-Content-Type-Options', 'nosniff'],
    expect: {
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
      text: script,
    },
  },
];

export const fieldFormTests = fieldForms.map(({ name, summary, contentTypes, body, headers = [], expect }) =>
  endpoint({
    id: `content-type-${name}`,
    group: 'Proxy Content-Type & Charset',
    methods: ['GET'],
    path: `/proxy-test/content-type/${name}`,
    summary,
    responses: { 200: anyType('The body.') },
    examples: [{ name: 'arrives as it was sent', expect: { status: 200, ...expect } }],
    handle: () => {
      const lines = contentTypes.flatMap((value) => ['Content-Type', value]);
      return reply.bytes(body, undefined, { headers: [...lines, ...headers, ...integrityHeaders(body)] });
    },
  }),
);
