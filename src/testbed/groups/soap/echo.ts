import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { answerSoap } from '../../soap/binding.ts';
import { example11, example12 } from '../../soap/example-messages.ts';
import { operate, SERVICE_NAMESPACE } from '../../soap/operation.ts';
import { allOperations, echoOperations } from '../../soap/service-operations.ts';
import { operationsAt, request, SOAP_GROUP, SOAP12_TYPE, soapBody, soapResponses } from './soap-entry.ts';

const service = operationsAt(allOperations, {
  id: 'soap-service',
  path: '/soap',
  summary: 'Every operation of the SOAP service that needs no security.',
  description: 'Document/literal, SOAP 1.1 and 1.2, with or without MTOM. GET /soap?wsdl describes it.',
  examples: [
    {
      name: 'SOAP 1.1',
      ...example11(request('Echo', '<t:text>Merhaba</t:text>')),
      expect: {
        status: 200,
        headers: { 'content-type': 'text/xml; charset=utf-8' },
        text: /<soap:Envelope xmlns:soap="http:\/\/schemas\.xmlsoap\.org\/soap\/envelope\/">\s*<soap:Body>\s*<EchoResponse xmlns="[^"]+">\s*<text>Merhaba<\/text>\s*<soapVersion>1\.1<\/soapVersion>/,
      },
    },
    {
      name: 'an operation that does not exist',
      ...example11(request('Missing')),
      expect: {
        status: 500,
        text: /<faultcode>soap:Client<\/faultcode>\s*<faultstring[^>]*>There is no operation/,
      },
    },
  ],
});

const echo = endpoint({
  id: 'soap-echo',
  group: SOAP_GROUP,
  methods: ['POST'],
  path: '/soap/echo',
  summary: 'Sends the content of the Body back.',
  description:
    'The operation Echo also tells version, action and header blocks; any other content comes back as it is.',
  body: soapBody,
  responses: soapResponses,
  examples: [
    {
      name: 'SOAP 1.2 with an action',
      headers: ['Content-Type', `application/soap+xml; charset=utf-8; action="${SERVICE_NAMESPACE}/Echo"`],
      body: example12(request('Echo', '<t:text>a &lt; b</t:text>')).body,
      expect: {
        status: 200,
        headers: { 'content-type': SOAP12_TYPE },
        text: /<text>a &lt; b<\/text>\s*<soapVersion>1\.2<\/soapVersion>\s*<action>urn:gatehouse:testservice:soap\/Echo<\/action>/,
      },
    },
    {
      name: 'content of anybody',
      ...example11('<a:Any xmlns:a="urn:a" b="1">x<a:y/></a:Any>'),
      expect: { status: 200, text: /<a:Any [^>]*xmlns:a="urn:a" b="1">x<a:y\/><\/a:Any>/ },
    },
    {
      name: 'an envelope of another version',
      headers: ['Content-Type', 'application/soap+xml'],
      body: example11(request('Echo')).body,
      expect: {
        status: 500,
        text: /<upgrade:SupportedEnvelope qname="v0:Envelope" xmlns:v0="http:\/\/www\.w3\.org\/2003\/05\/soap-envelope"\/>[\s\S]*<soap:Value>soap:VersionMismatch</,
      },
    },
    {
      name: 'a header block that must be understood',
      ...example12(request('Echo'), '<x:Trick xmlns:x="urn:x" s:mustUnderstand="true"/>'),
      expect: {
        status: 500,
        text: /<soap:NotUnderstood qname="strange:Trick" xmlns:strange="urn:x"\/>[\s\S]*<soap:Value>soap:MustUnderstand</,
      },
    },
    {
      name: 'a document type declaration',
      headers: ['Content-Type', 'text/xml'],
      body: `<!DOCTYPE a [<!ENTITY x "y">]>${example11(request('Echo')).body}`,
      expect: {
        status: 500,
        text: /soap:Client<\/faultcode>\s*<faultstring[^>]*>The XML has a document type/,
      },
    },
    {
      name: 'no SOAP at all',
      headers: ['Content-Type', 'application/json'],
      body: '{}',
      expect: { status: 415, json: { detail: /send text\/xml \(SOAP 1\.1\), application\/soap\+xml/ } },
    },
  ],
  handle: (call) =>
    answerSoap(call, {
      answer: async (context) => {
        const [first] = context.message.bodyElements;
        const isOperation = first?.namespace === SERVICE_NAMESPACE && first.localName === 'Echo';
        return isOperation ? operate(echoOperations, context) : context.message.bodyElements;
      },
    }),
});

export const echoEndpoints: readonly TestbedEndpoint[] = [service, echo];
