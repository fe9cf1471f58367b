import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { inOnePiece } from '../../content/bounded-body.ts';
import { contentTypeOf } from '../../content/charsets.ts';
import { parseForm, readForm } from '../../content/form.ts';
import { sha256Hex } from '../../content/integrity.ts';
import { repeatedNames } from '../../content/repeated-names.ts';
import { proxyEchoOf } from '../../echo/proxy-echo.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Proxy Body Integrity';

// SHA-256 of `hello`, as any other tool computes it.
const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

const formEcho = endpoint({
  id: 'proxy-body-form-echo',
  group,
  spec: '1 §4.6',
  methods: ['POST'],
  path: '/proxy-test/body/form/echo',
  summary: 'Echoes a urlencoded form: fields in their order, duplicates kept.',
  body: rawBody('application/x-www-form-urlencoded'),
  responses: {
    200: json('The echo object with `form`.'),
    413: problem('The body is larger than the limit.'),
    415: problem('The body is no urlencoded form.'),
  },
  examples: [
    {
      name: 'order and duplicates',
      headers: ['Content-Type', 'application/x-www-form-urlencoded'],
      body: 'b=2&a=1&b=%C5%9F+x&empty=',
      expect: {
        status: 200,
        json: {
          form: {
            fields: [
              ['b', '2'],
              ['a', '1'],
              ['b', 'ş x'],
              ['empty', ''],
            ],
            repeated: ['b'],
          },
          body: { length: 25, text: 'b=2&a=1&b=%C5%9F+x&empty=' },
        },
      },
    },
    {
      name: 'no form',
      headers: ['Content-Type', 'text/plain'],
      body: 'a=1',
      expect: { status: 415, json: { detail: /application\/x-www-form-urlencoded/ } },
    },
  ],
  async handle(call) {
    const form = 'application/x-www-form-urlencoded';
    const { type = form } = contentTypeOf(call.request.headers.first('content-type'));
    if (type !== form) throw fault('body.unsupported-type', { type, accepted: form });
    const { limits } = call.services.settings;
    const content = await call.exchange.body.bytes(limits.maxBodyBytes);
    const { fields } = await parseForm(form, inOnePiece(content), limits);
    const repeated = repeatedNames(fields.map(([name]) => name));
    return reply.json({ ...proxyEchoOf(call, content), form: { fields, repeated } });
  },
});

const multipartEcho = endpoint({
  id: 'proxy-body-multipart-echo',
  group,
  spec: '1 §4.5',
  methods: ['POST'],
  path: '/proxy-test/body/multipart/echo',
  summary: 'Echoes parameters and files, from the query or from a form body.',
  description:
    '`params` is every pair but `files`, from the query and from the fields of the form; at least one is required. Files are described by size and SHA-256, and not kept.',
  query: Type.Object({
    params: Type.Record(Type.String(), Type.String(), { description: 'All further pairs.' }),
    files: Type.Optional(
      Type.Array(Type.String({ format: 'binary' }), { description: 'Files given in the query.' }),
    ),
  }),
  body: {
    content: {
      'multipart/form-data': Type.Object({ file: Type.Optional(Type.String({ format: 'binary' })) }),
    },
  },
  responses: {
    200: json('Parameters and files.'),
    400: problem('There is no parameter anywhere, or the form is malformed.'),
    413: problem('The body is larger than the limit.'),
  },
  examples: [
    {
      name: 'fields and a file of a form',
      headers: ['Content-Type', 'multipart/form-data; boundary=cut'],
      body: [
        '--cut\r\nContent-Disposition: form-data; name="b"\r\n\r\n2\r\n',
        '--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n',
        '--cut\r\nContent-Disposition: form-data; name="file"; filename="hi.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n',
        '--cut--\r\n',
      ].join(''),
      expect: {
        status: 200,
        json: {
          params: { b: '2', a: '1' },
          pairs: [
            { name: 'b', value: '2', from: 'body' },
            { name: 'a', value: '1', from: 'body' },
          ],
          files: [
            {
              field: 'file',
              fileName: 'hi.txt',
              contentType: 'text/plain',
              size: 5,
              sha256: HELLO_SHA256,
              from: 'body',
            },
          ],
        },
      },
    },
    {
      name: 'everything in the query',
      path: '/proxy-test/body/multipart/echo?a=1&files=hello',
      expect: {
        status: 200,
        json: {
          params: { a: '1' },
          files: [{ field: 'files', size: 5, sha256: HELLO_SHA256, from: 'query' }],
        },
      },
    },
    {
      name: 'no parameters anywhere',
      expect: { status: 400, json: { detail: /params is required/ } },
    },
  ],
  async handle(call) {
    const form = await readForm(call, { keepFile: discardFile });
    const pairs = [
      ...call.request.queryPairs
        .filter(([name]) => name !== 'files')
        .map(([name, value]) => ({ name, value, from: 'query' })),
      ...form.fields.map(([name, value]) => ({ name, value, from: 'body' })),
    ];
    if (pairs.length === 0) throw fault('parameter.missing', { in: 'query', name: 'params' });
    const files = [
      ...(call.query.files ?? []).map(describeQueryFile),
      ...form.files.map(({ field, fileName, contentType, size, sha256 }) => ({
        field,
        fileName,
        contentType,
        size,
        sha256,
        from: 'body',
      })),
    ];
    const params = Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
    return reply.json({
      params,
      pairs,
      files,
      contentType: call.request.headers.first('content-type') ?? null,
    });
  },
});

/** The form reader measures and hashes what passes; nothing else is wanted of a file here. */
async function discardFile(content: AsyncIterable<Buffer>): Promise<string> {
  for await (const _ of content);
  return '';
}

function describeQueryFile(content: string) {
  const size = Buffer.byteLength(content);
  return {
    field: 'files',
    fileName: null,
    contentType: null,
    size,
    sha256: sha256Hex(content),
    from: 'query',
  };
}

/** Forms, urlencoded and multipart. */
export const formEndpoints: readonly TestbedEndpoint[] = [formEcho, multipartEcho];
