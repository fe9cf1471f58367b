import { Refusal } from '../../http1/refusals.ts';
import { Fault } from '../../kernel/faults.ts';
import { type XmlElement, xmlElement } from '../content/xml.ts';
import type { SoapVersion } from './soap-version.ts';

/** The fault codes of SOAP 1.2; SOAP 1.1 knows them by other names. */
export type SoapFaultCode =
  | 'VersionMismatch'
  | 'MustUnderstand'
  | 'DataEncodingUnknown'
  | 'Sender'
  | 'Receiver';

const codesOf11: Readonly<Record<SoapFaultCode, string>> = {
  VersionMismatch: 'VersionMismatch',
  MustUnderstand: 'MustUnderstand',
  DataEncodingUnknown: 'Client',
  Sender: 'Client',
  Receiver: 'Server',
};

export interface QualifiedName {
  readonly prefix: string;
  readonly namespace: string;
  readonly localName: string;
}

interface SoapFaultParts {
  /** Says more exactly what is wrong. */
  readonly subcode?: QualifiedName;
  readonly detail?: readonly XmlElement[];
  /** Makes the header blocks that go with the fault. */
  readonly headerBlocks?: (version: SoapVersion) => readonly XmlElement[];
}

/** An error told in the envelope of the version that was spoken. */
export class SoapFault extends Error {
  readonly code: SoapFaultCode;
  readonly parts: SoapFaultParts;

  constructor(code: SoapFaultCode, reason: string, parts: SoapFaultParts = {}) {
    super(reason);
    this.name = 'SoapFault';
    this.code = code;
    this.parts = parts;
  }
}

/** What a thrown thing says in SOAP; undefined for errors nobody foresaw. What we refuse is the sender's mistake. */
export function soapFaultOf(error: unknown): SoapFault | undefined {
  if (error instanceof SoapFault) return error;
  if (error instanceof Refusal) return new SoapFault('Sender', error.detail);
  if (error instanceof Fault && error.status < 500) return new SoapFault('Sender', error.message);
  return undefined;
}

/** SOAP 1.1 §6.2: always 500. SOAP 1.2 part 2, table 20: 400 for the sender's mistakes. */
export function httpStatusOf({ code }: SoapFault, version: SoapVersion): number {
  return version.name === '1.2' && code === 'Sender' ? 400 : 500;
}

/** The Fault element for a Body; `soap` is the prefix of the envelope. */
export function faultElement(fault: SoapFault, version: SoapVersion): XmlElement {
  return version.name === '1.1' ? fault11(fault) : fault12(fault);
}

function fault11({ code, message, parts: { subcode, detail = [] } }: SoapFault): XmlElement {
  const faultcode = subcode
    ? xmlElement('faultcode', [`${subcode.prefix}:${subcode.localName}`], declaration(subcode))
    : xmlElement('faultcode', [`soap:${codesOf11[code]}`]);
  const children = [faultcode, xmlElement('faultstring', [message], { 'xml:lang': 'en' })];
  if (detail.length > 0) children.push(xmlElement('detail', detail));
  return xmlElement('soap:Fault', children);
}

function fault12({ code, message, parts: { subcode, detail = [] } }: SoapFault): XmlElement {
  const codeParts = [xmlElement('soap:Value', [`soap:${code}`])];
  if (subcode) {
    const value = xmlElement('soap:Value', [`${subcode.prefix}:${subcode.localName}`], declaration(subcode));
    codeParts.push(xmlElement('soap:Subcode', [value]));
  }
  const children = [
    xmlElement('soap:Code', codeParts),
    xmlElement('soap:Reason', [xmlElement('soap:Text', [message], { 'xml:lang': 'en' })]),
  ];
  if (detail.length > 0) children.push(xmlElement('soap:Detail', detail));
  return xmlElement('soap:Fault', children);
}

function declaration({ prefix, namespace }: QualifiedName): Record<string, string> {
  return { [`xmlns:${prefix}`]: namespace };
}
