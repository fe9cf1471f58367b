import { Type } from 'typebox';
import { problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import type { ResponseDeclaration } from '../../../kernel/catalogue/endpoint.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { answerSoap } from '../../soap/binding.ts';
import { type Operations, operate } from '../../soap/operation.ts';

/** What the entries of the SOAP service have in common. */
export const SOAP_GROUP = 'Test Utilities';
export const SOAP12_TYPE = 'application/soap+xml; charset=utf-8';
export const soapBody = rawBody('text/xml', 'application/soap+xml', 'multipart/related');

export const envelopeOf = (description: string): ResponseDeclaration => ({
  description,
  content: { 'text/xml': Type.Unknown(), 'application/soap+xml': Type.Unknown() },
});

export const soapResponses = {
  200: envelopeOf('The answer, in an envelope of the version of the request.'),
  400: envelopeOf("A fault of SOAP 1.2 that is the sender's mistake."),
  415: problem('The request is no SOAP.'),
  500: envelopeOf('A fault of SOAP 1.1, or one of SOAP 1.2 of another kind.'),
};

/** One element of our namespace, as a request writes it. */
export const request = (name: string, children = '') => `<t:${name}>${children}</t:${name}>`;

/** An address that serves some of the operations. */
export function operationsAt(
  operations: Operations,
  entry: Pick<TestbedEndpoint, 'id' | 'path' | 'summary' | 'description' | 'examples'>,
): TestbedEndpoint {
  return endpoint({
    ...entry,
    group: SOAP_GROUP,
    methods: ['POST'],
    body: soapBody,
    responses: soapResponses,
    handle: (call) => answerSoap(call, { answer: (context) => operate(operations, context) }),
  });
}
