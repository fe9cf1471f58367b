import { type XmlElement, xmlElement } from '../content/xml.ts';
import { attributeOf } from './envelope.ts';
import { SoapFault } from './soap-fault.ts';
import type { SoapVersion } from './soap-version.ts';

/** Refuses a message with a header block that is meant for us, must be understood, and is not. */
export function checkUnderstood(
  headerBlocks: readonly XmlElement[],
  version: SoapVersion,
  understands: (block: XmlElement) => boolean,
): void {
  const strange = headerBlocks.filter(
    (block) => isForUs(block, version) && mustBeUnderstood(block, version) && !understands(block),
  );
  if (strange.length === 0) return;
  const names = strange.map(({ namespace, localName }) => `{${namespace}}${localName}`).join(', ');
  throw new SoapFault('MustUnderstand', `These header blocks must be understood, but are not: ${names}.`, {
    // SOAP 1.2 part 1, §5.4.8; SOAP 1.1 has no such block.
    headerBlocks: ({ name }) => (name === '1.2' ? strange.map(notUnderstood) : []),
  });
}

function isForUs(block: XmlElement, { namespace, role }: SoapVersion): boolean {
  return role.ours.includes(attributeOf(block, namespace, role.attribute) ?? '');
}

function mustBeUnderstood(block: XmlElement, { namespace }: SoapVersion): boolean {
  const value = attributeOf(block, namespace, 'mustUnderstand')?.trim() ?? '0';
  if (!['0', '1', 'false', 'true'].includes(value))
    throw new SoapFault('Sender', `mustUnderstand="${value}" on ${block.name} is neither true nor false.`);
  return value === '1' || value === 'true';
}

function notUnderstood({ localName, namespace }: XmlElement): XmlElement {
  return xmlElement('soap:NotUnderstood', [], { qname: `strange:${localName}`, 'xmlns:strange': namespace });
}
