import { Type } from 'typebox';
import { contentTypeOf } from '../../content/charsets.ts';
import { endpoint } from '../../endpoint.ts';
import { faultAnswer } from '../../soap/binding.ts';
import { example11 } from '../../soap/example-messages.ts';
import { SoapFault, type SoapFaultCode } from '../../soap/soap-fault.ts';
import { soap11, soapVersions, versionOfMediaType } from '../../soap/soap-version.ts';
import { envelopeOf, SOAP_GROUP, SOAP12_TYPE, soapBody, soapResponses } from './soap-entry.ts';

/** The fault codes by the words of the path; each version calls them by its own name. */
const faultCodes = {
  client: 'Sender',
  server: 'Receiver',
  sender: 'Sender',
  receiver: 'Receiver',
  'must-understand': 'MustUnderstand',
  'version-mismatch': 'VersionMismatch',
  'data-encoding-unknown': 'DataEncodingUnknown',
} as const satisfies Record<string, SoapFaultCode>;

const faultWords = Object.keys(faultCodes) as Array<keyof typeof faultCodes>;

export const faultByName = endpoint({
  id: 'soap-fault',
  group: SOAP_GROUP,
  methods: ['POST', 'GET'],
  path: '/soap/fault/{code}',
  summary: 'Answers with a fault, whatever the request.',
  description:
    'In the version of the request; one without a SOAP Content-Type gets SOAP 1.1 unless it names another.',
  params: Type.Object({ code: Type.Union(faultWords.map((word) => Type.Literal(word))) }),
  query: Type.Object({
    version: Type.Optional(Type.Union(soapVersions.map(({ name }) => Type.Literal(name)))),
    status: Type.Optional(
      Type.Integer({
        minimum: 200,
        maximum: 599,
        description: 'An HTTP status other than the one SOAP says.',
      }),
    ),
    reason: Type.Optional(Type.String({ maxLength: 1000 })),
  }),
  body: soapBody,
  responses: { ...soapResponses, 400: envelopeOf('A fault of SOAP 1.2, or a parameter that is not valid.') },
  examples: [
    {
      name: 'SOAP 1.1',
      path: '/soap/fault/server?reason=broken',
      ...example11(''),
      expect: {
        status: 500,
        headers: { 'content-type': 'text/xml; charset=utf-8' },
        text: /<faultcode>soap:Server<\/faultcode>\s*<faultstring xml:lang="en">broken<\/faultstring>/,
      },
    },
    {
      name: 'SOAP 1.2 by GET',
      method: 'GET',
      path: '/soap/fault/sender?version=1.2',
      expect: {
        status: 400,
        headers: { 'content-type': SOAP12_TYPE },
        text: /<soap:Value>soap:Sender<\/soap:Value>/,
      },
    },
    {
      name: 'a fault with the status 200',
      method: 'GET',
      path: '/soap/fault/client?status=200',
      expect: { status: 200, text: /<faultcode>soap:Client<\/faultcode>/ },
    },
    {
      name: 'an unknown code',
      method: 'GET',
      path: '/soap/fault/other',
      expect: { status: 400, json: { detail: /code must be one of client, server/ } },
    },
  ],
  handle: async (call) => {
    await call.exchange.body.discard(call.services.settings.limits.maxBodyBytes);
    const spoken = versionOfMediaType(contentTypeOf(call.request.headers.first('content-type')).type);
    const asked = soapVersions.find(({ name }) => name === call.query.version);
    const reason = call.query.reason ?? `A fault of the kind ${call.params.code}, as asked for.`;
    const soapFault = new SoapFault(faultCodes[call.params.code], reason);
    return faultAnswer(soapFault, asked ?? spoken ?? soap11, call.query.status);
  },
});
