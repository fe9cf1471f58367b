import { childElements, type XmlElement, xmlElement } from '../content/xml.ts';
import { SoapFault } from './soap-fault.ts';
import { type SoapVersion, soap12, soapVersions } from './soap-version.ts';

/** An envelope, taken apart. Elements carry the namespace declarations they inherited, so that each stands alone. */
export interface Envelope {
  readonly headerBlocks: readonly XmlElement[];
  readonly bodyElements: readonly XmlElement[];
}

/** Checks that a document is an envelope of the version its Content-Type names, and takes it apart. */
export function readEnvelope(root: XmlElement, version: SoapVersion): Envelope {
  if (root.localName !== 'Envelope')
    throw new SoapFault('Sender', `The document is no Envelope, but ${root.name}.`);
  if (root.namespace !== version.namespace) throw versionMismatch(root.namespace, version);
  refuseText(root);
  const children = childElements(root);
  const isOurs = (element: XmlElement | undefined, localName: string) =>
    element?.localName === localName && element.namespace === version.namespace;
  const header = isOurs(children[0], 'Header') ? children[0] : undefined;
  const body = children[header ? 1 : 0];
  if (!body || !isOurs(body, 'Body'))
    throw new SoapFault('Sender', 'The Envelope has no Body where one must stand.');
  if (children.length > (header ? 2 : 1)) throw new SoapFault('Sender', 'Something follows the Body.');
  const bodyElements = standingAlone(body, root);
  for (const element of bodyElements) checkEncoding(element, version);
  return { headerBlocks: header ? standingAlone(header, root) : [], bodyElements };
}

/** We read no encoding but the literal one, which SOAP 1.2 has a fault of its own for. */
function checkEncoding(element: XmlElement, { name, namespace }: SoapVersion): void {
  const style = attributeOf(element, namespace, 'encodingStyle');
  if (name === '1.1' || !style || style === `${namespace}/encoding/none`) return;
  throw new SoapFault('DataEncodingUnknown', `The encoding ${style} of ${element.name} is not understood.`);
}

function versionMismatch(namespace: string, version: SoapVersion): SoapFault {
  return new SoapFault(
    'VersionMismatch',
    `The Envelope is of the namespace "${namespace}"; ${version.mediaType} wants "${version.namespace}".`,
    { headerBlocks: () => [upgradeBlock()] },
  );
}

/** SOAP 1.2 part 1, §5.4.7: the envelopes we understand, in the order we like them. */
function upgradeBlock(): XmlElement {
  const supported = [...soapVersions].reverse().map(({ namespace }, index) =>
    xmlElement('upgrade:SupportedEnvelope', [], {
      qname: `v${index}:Envelope`,
      [`xmlns:v${index}`]: namespace,
    }),
  );
  return xmlElement('upgrade:Upgrade', supported, { 'xmlns:upgrade': soap12.namespace });
}

/** The elements within a Header or Body, which hold nothing else. */
function standingAlone(parent: XmlElement, root: XmlElement): XmlElement[] {
  refuseText(parent);
  const inherited = { ...declarationsOf(root), ...declarationsOf(parent) };
  return childElements(parent).map((element) => ({
    ...element,
    attributes: { ...inherited, ...element.attributes },
  }));
}

function refuseText({ name, children }: XmlElement): void {
  if (children.some((child) => typeof child === 'string' && child.trim() !== ''))
    throw new SoapFault('Sender', `Text stands directly within ${name}.`);
}

function declarationsOf({ attributes }: XmlElement): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:')),
  );
}

/** An attribute of a namespace, on an element that stands alone. */
export function attributeOf(element: XmlElement, namespace: string, localName: string): string | undefined {
  for (const [name, value] of Object.entries(element.attributes)) {
    const [prefix, local] = name.split(':');
    if (local === localName && element.attributes[`xmlns:${prefix}`] === namespace) return value;
  }
  return undefined;
}

/** The element that a Body holds where only one may stand. */
export function onlyElement(elements: readonly XmlElement[]): XmlElement {
  if (elements.length !== 1)
    throw new SoapFault('Sender', `The Body must hold one element, but holds ${elements.length}.`);
  return elements[0]!;
}

export function writeEnvelope(
  version: SoapVersion,
  bodyElements: readonly XmlElement[],
  headerBlocks: readonly XmlElement[] = [],
): XmlElement {
  const header = headerBlocks.length > 0 ? [xmlElement('soap:Header', headerBlocks)] : [];
  return xmlElement('soap:Envelope', [...header, xmlElement('soap:Body', bodyElements)], {
    'xmlns:soap': version.namespace,
  });
}
