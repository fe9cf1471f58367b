import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { integrityHeaders } from '../../content/integrity.ts';
import { chooseMediaType, parseQualityList } from '../../content/negotiation.ts';
import { xmlEscape } from '../../content/xml.ts';
import { endpoint } from '../../endpoint.ts';

const path = '/proxy-test/content-type/negotiate';

const greetings = { en: 'Good morning', tr: 'Günaydın', de: 'Guten Morgen' } as const;
type Language = keyof typeof greetings;
const languages = Object.keys(greetings) as Language[];

/** The same two values in every format, the server's favourite first. */
const formats = {
  'application/json': (language, greeting) => `${JSON.stringify({ language, greeting })}\n`,
  'application/xml': (language, greeting) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<greeting xml:lang="${language}">${xmlEscape(greeting)}</greeting>\n`,
  'text/html': (language, greeting) =>
    `<!doctype html>\n<html lang="${language}"><p>${greeting}</p></html>\n`,
  'text/plain': (_, greeting) => `${greeting}\n`,
  'text/csv': (language, greeting) => `language,greeting\r\n${language},${greeting}\r\n`,
  'application/yaml': (language, greeting) => `language: ${language}\ngreeting: ${greeting}\n`,
} as const satisfies Record<string, (language: Language, greeting: string) => string>;

type Format = keyof typeof formats;
const formatNames = Object.keys(formats) as Format[];

export const negotiate = endpoint({
  id: 'content-type-negotiate',
  group: 'Proxy Content-Type & Charset',
  methods: ['GET'],
  path,
  summary:
    'One greeting in the format Accept likes best: JSON, XML, HTML, text, CSV or YAML; with ?lang also in its language.',
  description:
    'Weights, wildcards and specificity as RFC 9110 §12.5.1 has them. `as` names a format outright. ' +
    '`lang=auto` chooses by Accept-Language (RFC 4647 lookup), a language names it outright. ' +
    'A 406 lists the formats as Link alternates.',
  headers: Type.Object({
    accept: Type.Optional(Type.String()),
    'accept-language': Type.Optional(Type.String()),
  }),
  query: Type.Object({
    as: Type.Optional(Type.Enum(formatNames)),
    lang: Type.Optional(Type.Enum(['auto', ...languages])),
  }),
  responses: {
    200: anyType('The greeting.'),
    400: problem('The format or the language does not exist.'),
    406: problem('No format is acceptable; Link lists them.'),
  },
  examples: [
    {
      name: 'the highest weight wins',
      headers: ['Accept', 'text/html;q=0.5, text/csv;q=0.9'],
      expect: {
        status: 200,
        headers: { 'content-type': 'text/csv; charset=utf-8', vary: 'Accept', 'content-language': null },
        text: 'language,greeting\r\nen,Good morning\r\n',
      },
    },
    {
      name: 'the most specific range counts for each format',
      headers: ['Accept', 'text/*;q=0.9, text/html;q=0.1, text/plain;q=0, application/*;q=0.2'],
      expect: { status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' } },
    },
    {
      name: 'anything goes',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        json: { greeting: 'Good morning' },
      },
    },
    {
      name: 'the language too',
      path: `${path}?lang=auto`,
      headers: ['Accept', 'text/plain', 'Accept-Language', 'de;q=0.5, tr-TR;q=0.8'],
      expect: {
        status: 200,
        headers: { 'content-language': 'tr', vary: 'Accept, Accept-Language' },
        text: 'Günaydın\n',
      },
    },
    {
      name: 'nothing acceptable',
      headers: ['Accept', 'image/png'],
      expect: {
        status: 406,
        headers: { vary: 'Accept', link: /<[^>]+\?as=text%2Fcsv>; rel="alternate"; type="text\/csv"/ },
        json: { status: 406 },
      },
    },
    {
      name: 'a format by name',
      path: `${path}?as=application/yaml&lang=de`,
      headers: ['Accept', 'image/png'],
      expect: {
        status: 200,
        headers: { 'content-type': 'application/yaml' },
        text: 'language: de\ngreeting: Guten Morgen\n',
      },
    },
    { name: 'no such language', path: `${path}?lang=xx`, expect: { status: 400, json: { detail: /lang/ } } },
  ],
  handle: ({ request, query }) => {
    const format = query.as ?? chooseMediaType(request.headers.get('accept'), formatNames).chosen;
    if (format === undefined) {
      throw fault('negotiation.not-acceptable', { offered: formatNames.join(', ') }, [
        'Vary',
        'Accept',
        'Link',
        alternates(),
      ]);
    }
    if (query.lang === undefined) return greetingIn(format, 'en', ['Vary', 'Accept']);
    const language =
      query.lang === 'auto' ? chooseLanguage(request.headers.get('accept-language')) : query.lang;
    return greetingIn(format, language, ['Vary', 'Accept, Accept-Language', 'Content-Language', language]);
  },
});

function greetingIn(format: Format, language: Language, headers: readonly string[]): PlainAnswer {
  const body = formats[format](language, greetings[language]);
  const contentType = format.startsWith('text/') ? `${format}; charset=utf-8` : format;
  return reply.bytes(body, contentType, { headers: [...headers, ...integrityHeaders(body)] });
}

/** RFC 4647 §3.4 lookup: ranges by weight, each shortened from its end until a language fits; English is the default. */
function chooseLanguage(acceptLanguage: string | undefined): Language {
  const ranges = parseQualityList(acceptLanguage ?? '').toSorted((a, b) => b.quality - a.quality);
  const refused = ranges.filter(({ quality }) => quality === 0).map(({ value }) => value);
  for (const { value, quality } of ranges) {
    const [primary] = value.split('-');
    const language = languages.find((one) => one === primary && !refused.includes(one));
    if (language && quality > 0) return language;
  }
  return 'en';
}

function alternates(): string {
  return formatNames
    .map((format) => `<${path}?as=${encodeURIComponent(format)}>; rel="alternate"; type="${format}"`)
    .join(', ');
}
