import { decodeBase64 } from '../content/base64.ts';
import { sha256Hex } from '../content/integrity.ts';
import { xmlElement } from '../content/xml.ts';
import { calculatorOperations } from './calculator.ts';
import type { Operations } from './operation.ts';
import { recordOperations } from './records.ts';
import { SoapFault } from './soap-fault.ts';
import { childText } from './soap-message.ts';

export const echoOperations: Operations = {
  Echo: (request, { message }) => [
    xmlElement('text', [childText(request, 'text') ?? '']),
    xmlElement('soapVersion', [message.version.name]),
    xmlElement('action', [message.action ?? '']),
    ...message.headerBlocks.map(({ localName, namespace }) =>
      xmlElement('headerBlock', [`{${namespace}}${localName}`]),
    ),
  ],
};

export const oneWayOperations: Operations = {
  Notify: () => undefined,
};

export const attachmentOperations: Operations = {
  EchoAttachment: (request, { binary }) => {
    const bytes = decodeBase64((childText(request, 'content') ?? '').replace(/\s/g, ''));
    if (!bytes) throw new SoapFault('Sender', 'EchoAttachment needs content, which must be base64.');
    return [
      xmlElement('name', [childText(request, 'name') ?? '']),
      xmlElement('size', [String(bytes.length)]),
      xmlElement('sha256', [sha256Hex(bytes)]),
      xmlElement('content', [binary(bytes)]),
    ];
  },
};

/** Everything the WSDL describes under its first port. */
export const allOperations: Operations = {
  ...echoOperations,
  ...calculatorOperations,
  ...recordOperations,
  ...attachmentOperations,
  ...oneWayOperations,
};
