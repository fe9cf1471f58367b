import { Type } from 'typebox';
import { noBody } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { answerSoap } from '../../soap/binding.ts';
import { calculatorOperations } from '../../soap/calculator.ts';
import { example11, example12 } from '../../soap/example-messages.ts';
import { operate } from '../../soap/operation.ts';
import { recordOperations } from '../../soap/records.ts';
import { attachmentOperations, oneWayOperations } from '../../soap/service-operations.ts';
import { operationsAt, request, SOAP_GROUP, soapBody, soapResponses } from './soap-entry.ts';

const twoNumbers = (a: string, b: string) => `<t:a>${a}</t:a><t:b>${b}</t:b>`;

const calculator = operationsAt(calculatorOperations, {
  id: 'soap-calculator',
  path: '/soap/calculator',
  summary: 'Add, Subtract, Multiply and Divide whole numbers of 32 bits.',
  examples: [
    {
      name: 'a product',
      ...example11(request('Multiply', twoNumbers('-6', '7'))),
      expect: { status: 200, text: /<MultiplyResponse xmlns="[^"]+">\s*<result>-42<\/result>/ },
    },
    {
      name: 'division by zero in SOAP 1.1',
      ...example11(request('Divide', twoNumbers('1', '0'))),
      expect: { status: 500, text: /soap:Client<[\s\S]*<detail>\s*<DivisionByZero xmlns="urn:[^"]+">/ },
    },
    {
      name: 'division by zero in SOAP 1.2',
      ...example12(request('Divide', twoNumbers('1', '0'))),
      expect: { status: 400, text: /<soap:Value>soap:Sender<[\s\S]*<soap:Detail>\s*<DivisionByZero / },
    },
    {
      name: 'no number',
      ...example11(request('Add', twoNumbers('one', '2'))),
      expect: { status: 500, text: /Add needs a, a whole number of 32 bits/ },
    },
  ],
});

const records = operationsAt(recordOperations, {
  id: 'soap-records',
  path: '/soap/records',
  summary: 'Lists 25 records page by page, and gives one with all its details.',
  examples: [
    {
      name: 'a page',
      ...example11(request('ListRecords', '<t:page>3</t:page>')),
      expect: {
        status: 200,
        text: /<total>25<\/total>\s*<record>\s*<id>21<\/id>\s*<name>Ayşe Yılmaz<\/name>\s*<city>İstanbul<\/city>/,
      },
    },
    {
      name: 'one record',
      ...example12(request('GetRecord', '<t:id>1</t:id>')),
      expect: {
        status: 200,
        text: /<balance>-61\.70<\/balance>\s*<active>false<\/active>\s*<since>2020-01-01T00:00:00\.000Z<\/since>\s*<note xmlns:xsi="[^"]+" xsi:nil="true"\/>/,
      },
    },
    {
      name: 'a record that does not exist',
      ...example11(request('GetRecord', '<t:id>99</t:id>')),
      expect: { status: 500, text: /<RecordNotFound xmlns="[^"]+">\s*<id>99<\/id>/ },
    },
  ],
});

const mtom = endpoint({
  id: 'soap-mtom',
  group: SOAP_GROUP,
  methods: ['POST'],
  path: '/soap/mtom',
  summary: 'Takes bytes as XOP attachment or base64 and gives them back as XOP attachment.',
  body: soapBody,
  responses: {
    ...soapResponses,
    200: { description: 'An XOP package (MTOM).', content: { 'multipart/related': Type.Unknown() } },
  },
  examples: [
    {
      name: 'an attachment both ways',
      headers: [
        'Content-Type',
        'multipart/related; type="application/xop+xml"; boundary=b; start="<r>"; start-info="text/xml"',
      ],
      body: [
        '--b\r\nContent-Type: application/xop+xml; charset=utf-8; type="text/xml"\r\nContent-ID: <r>\r\n\r\n',
        example11(
          request(
            'EchoAttachment',
            '<t:name>a.txt</t:name><t:content><i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:a"/></t:content>',
          ),
        ).body,
        '\r\n--b\r\nContent-Type: text/plain\r\nContent-ID: <a>\r\n\r\nhello\r\n--b--\r\n',
      ].join(''),
      expect: {
        status: 200,
        headers: {
          'content-type': /^multipart\/related; type="application\/xop\+xml"; boundary="package-[0-9a-f-]+"/,
        },
        text: /<size>5<\/size>\s*<sha256>2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824<\/sha256>\s*<content>\s*<xop:Include xmlns:xop="[^"]+" href="cid:attachment-1@testservice"\/>[\s\S]*Content-ID: <attachment-1@testservice>\r\n\r\nhello\r\n--/,
      },
    },
    {
      name: 'an attachment that is not there',
      headers: [
        'Content-Type',
        'multipart/related; type="application/xop+xml"; boundary=b; start-info="text/xml"',
      ],
      body: `--b\r\n\r\n${example11(request('EchoAttachment', '<t:content><i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:none"/></t:content>')).body}\r\n--b--\r\n`,
      expect: { status: 500, text: /xop:Include names &quot;cid:none&quot;, which is no part/ },
    },
  ],
  handle: (call) =>
    answerSoap(call, { isPackaged: true, answer: (context) => operate(attachmentOperations, context) }),
});

const oneWay = endpoint({
  id: 'soap-one-way',
  group: SOAP_GROUP,
  methods: ['POST'],
  path: '/soap/one-way',
  summary: 'Takes a message and answers 202 without an envelope.',
  body: soapBody,
  responses: { 202: noBody('The message was taken.'), ...soapResponses },
  examples: [
    {
      name: 'a message that needs no answer',
      ...example11(request('Notify', '<t:text>done</t:text>')),
      expect: { status: 202, length: 0, headers: { 'content-type': null } },
    },
    {
      name: 'a message that does',
      ...example12(request('Echo')),
      expect: { status: 400, text: /There is no operation .*Echo here; there are Notify/ },
    },
  ],
  handle: (call) => answerSoap(call, { answer: (context) => operate(oneWayOperations, context) }),
});

export const operationEndpoints: readonly TestbedEndpoint[] = [calculator, records, mtom, oneWay];
