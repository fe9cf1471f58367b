import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { binary, problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import { ocspAnswer } from '../../tls/revocation.ts';

const group = 'Certificate Download';
const MAX_REQUEST_BYTES = 64 * 1024;
const RESPONSE_TYPE = 'application/ocsp-response';

const answered = binary('The answer, an error within it included.', RESPONSE_TYPE);
const notReady = problem('The certificates are still being made.');
/** OCSPResponse { malformedRequest } */
const MALFORMED = '30030a0101';

export const ocspEndpoints: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'certs-ocsp-post',
    group,
    methods: ['POST'],
    path: '/certs/ocsp',
    aliases: ['/certificates/ocsp'],
    summary: 'The OCSP responder of the test authority (RFC 6960, RFC 5019).',
    body: { ...rawBody('application/ocsp-request'), required: true },
    responses: { 200: answered, 413: problem('The request is too large.'), 503: notReady },
    examples: [
      {
        name: 'no OCSP request',
        body: 'hello',
        expect: { status: 200, headers: { 'content-type': RESPONSE_TYPE }, hex: MALFORMED },
      },
    ],
    handle: async (call) => responseTo(call, await call.exchange.body.bytes(MAX_REQUEST_BYTES)),
  }),
  endpoint({
    id: 'certs-ocsp-get',
    group,
    methods: ['GET'],
    path: '/certs/ocsp/{request**}',
    aliases: ['/certificates/ocsp/{request**}'],
    summary: 'The same, with the request in the path: Base64, its special characters percent-encoded or not.',
    params: Type.Object({ request: Type.String() }),
    responses: { 200: answered, 503: notReady },
    examples: [
      {
        name: 'no OCSP request',
        path: '/certs/ocsp/aGVsbG8%3D',
        expect: { status: 200, headers: { 'content-type': RESPONSE_TYPE }, hex: MALFORMED },
      },
    ],
    handle: async (call) => responseTo(call, Buffer.from(call.params.request, 'base64')),
  }),
];

async function responseTo({ services }: TestbedCall, request: Buffer): Promise<PlainAnswer> {
  const material = await services.tls.material();
  return reply.bytes(ocspAnswer(material, request, services.clock.now()), RESPONSE_TYPE, {
    headers: ['Cache-Control', 'no-store'],
  });
}
