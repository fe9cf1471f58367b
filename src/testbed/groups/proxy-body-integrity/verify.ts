import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import { JsonScanner } from '../../content/json-scanner.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { checkSchema } from '../../verdict/check.ts';
import { verifyBody } from '../../verdict/verify-body.ts';

const group = 'Proxy Body Integrity';

// SHA-256 of `hello` and of the JSON sample, as any other tool computes them.
const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const JSON_SAMPLE = '{"n":[1,2]}';
const JSON_SAMPLE_SHA256 = '630f2ab3f62d9b4bc50cae4dea15fb0da2295290b191947200f11793ae714a76';
const WRONG_SHA256 = '0'.repeat(64);

const digestFields = Type.Object({
  'x-expected-sha256': Type.Optional(Type.String({ description: 'SHA-256 of the content as sent, in hex.' })),
  'content-digest': Type.Optional(
    Type.String({ description: 'Digests as RFC 9530 writes them; sha-256 and sha-512 are compared.' }),
  ),
});

const bodyVerdict = Type.Object({
  ok: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Null when no digest was named to compare with.',
  }),
  algorithm: Type.String(),
  expected: Type.Union([Type.String(), Type.Null()]),
  actual: Type.String(),
  length: Type.Integer(),
  checks: Type.Array(checkSchema),
});

const verifyResponses = {
  200: json('The body is the one that was sent, or nothing was there to compare it with.', bodyVerdict),
  400: problem('A digest field is malformed.'),
  413: problem('The body is larger than the limit of the verify endpoints.'),
  422: json('The body was changed on its way.', bodyVerdict),
};

const binaryVerify = endpoint({
  id: 'proxy-body-binary-verify',
  group,
  spec: '1 §4.6',
  methods: ['POST'],
  path: '/proxy-test/body/binary/verify',
  summary: 'Compares the SHA-256 of the body with the one its sender names.',
  description:
    'Hashes while the body arrives and keeps nothing, so bodies of gigabytes may be sent. The digest may also follow as a `Content-Digest` trailer that `Trailer` announces.',
  headers: digestFields,
  body: rawBody(),
  responses: verifyResponses,
  examples: [
    {
      name: 'the body came through',
      headers: ['X-Expected-Sha256', HELLO_SHA256],
      body: 'hello',
      expect: { status: 200, json: { ok: true, expected: HELLO_SHA256, actual: HELLO_SHA256, length: 5 } },
    },
    {
      name: 'Content-Digest is compared too',
      headers: ['Content-Digest', 'sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:'],
      body: 'hello',
      expect: { status: 200, json: { ok: true, algorithm: 'sha-256', length: 5 } },
    },
    {
      name: 'the digest follows the chunks as a trailer',
      headers: ['Transfer-Encoding', 'chunked', 'Trailer', 'Content-Digest'],
      body: '5\r\nhello\r\n0\r\nContent-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:\r\n\r\n',
      expect: { status: 200, json: { ok: true, length: 5 } },
    },
    {
      name: 'a changed body',
      headers: ['X-Expected-Sha256', WRONG_SHA256],
      body: 'hello',
      expect: { status: 422, json: { ok: false, expected: WRONG_SHA256, actual: HELLO_SHA256 } },
    },
    {
      name: 'nothing to compare with',
      body: 'hello',
      expect: { status: 200, json: { ok: null, expected: null, actual: HELLO_SHA256 } },
    },
    {
      name: 'a digest that is none',
      headers: ['X-Expected-Sha256', 'abc'],
      body: 'hello',
      expect: { status: 400, json: { detail: /x-expected-sha256 must be 64 hex digits/ } },
    },
  ],
  async handle(call) {
    const verdict = await verifyBody(call);
    return reply.json(verdict, { status: verdict.ok === false ? 422 : 200 });
  },
});

const largeJsonVerify = endpoint({
  id: 'proxy-body-large-json-verify',
  group,
  spec: '1 §4.6',
  methods: ['POST'],
  path: '/proxy-test/body/large-json/verify',
  summary: 'Checks that the body is whole JSON, and compares its digest with the one its sender names.',
  description:
    'Without a digest `ok` says whether the body is JSON. Scans while the body arrives and keeps nothing.',
  headers: digestFields,
  body: rawBody('application/json'),
  responses: {
    ...verifyResponses,
    422: json('The body was changed on its way, or is no JSON.', bodyVerdict),
  },
  examples: [
    {
      name: 'whole JSON with its digest',
      headers: ['Content-Type', 'application/json', 'X-Expected-Sha256', JSON_SAMPLE_SHA256],
      body: JSON_SAMPLE,
      expect: {
        status: 200,
        json: {
          ok: true,
          actual: JSON_SAMPLE_SHA256,
          json: { kind: 'object', size: 1, depth: 2 },
          mistake: null,
        },
      },
    },
    {
      name: 'JSON that was cut off',
      headers: ['Content-Type', 'application/json'],
      body: '{"n":[1,2',
      expect: { status: 422, json: { ok: false, json: null, mistake: { offset: 9 } } },
    },
  ],
  async handle(call) {
    const scanner = new JsonScanner();
    const verdict = await verifyBody(call, (chunk) => scanner.write(chunk));
    const summary = scanner.end();
    const ok = summary !== undefined && verdict.ok !== false;
    const answer = { ...verdict, ok, json: summary ?? null, mistake: scanner.mistake ?? null };
    return reply.json(answer, { status: ok ? 200 : 422 });
  },
});

/** Bodies that are hashed while they arrive and compared with the digest their sender names. */
export const verifyEndpoints: readonly TestbedEndpoint[] = [largeJsonVerify, binaryVerify];
