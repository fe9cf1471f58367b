import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { urlOf } from '../../echo/httpbin-echo.ts';
import { endpoint } from '../../endpoint.ts';
import { SERVICE_NAMESPACE } from '../../soap/operation.ts';
import { writeWsdl, writeXsd } from '../../soap/wsdl.ts';
import { SOAP_GROUP } from './soap-entry.ts';

export const description = endpoint({
  id: 'soap-description',
  group: SOAP_GROUP,
  methods: ['GET'],
  path: '/soap',
  summary: 'The WSDL of the SOAP service, or with ?xsd its XML Schema.',
  query: Type.Object({
    wsdl: Type.Optional(Type.String({ description: 'Asks for the WSDL, which is also given without.' })),
    xsd: Type.Optional(Type.String({ description: 'Asks for the XML Schema.' })),
  }),
  responses: { 200: { description: 'WSDL 1.1 or XML Schema.', content: { 'text/xml': Type.Unknown() } } },
  examples: [
    {
      name: 'the WSDL names the address it was asked at',
      path: '/soap?wsdl',
      headers: ['Host', 'soap.example:8080'],
      expect: {
        status: 200,
        headers: { 'content-type': 'text/xml; charset=utf-8' },
        text: /<wsdl:port name="TestSoap12" binding="tns:TestSoap12"><soap12:address location="http:\/\/soap\.example:8080\/soap"\/>/,
      },
    },
    {
      name: 'the schema',
      path: '/soap?xsd',
      expect: {
        status: 200,
        text: new RegExp(`<xsd:schema targetNamespace="${SERVICE_NAMESPACE}" elementFormDefault="qualified"`),
      },
    },
  ],
  handle: (call) => {
    const document = call.query.xsd === undefined ? writeWsdl(new URL(urlOf(call)).origin) : writeXsd();
    return reply.bytes(document, 'text/xml; charset=utf-8');
  },
});
