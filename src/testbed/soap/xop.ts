import { type XmlElement, xmlElement } from '../content/xml.ts';
import { SoapFault } from './soap-fault.ts';

const XOP_NAMESPACE = 'http://www.w3.org/2004/08/xop/include';

export interface Attachment {
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
}

/** By Content-ID, without its angle brackets. */
export type Attachments = ReadonlyMap<string, Attachment>;

/** The document with every xop:Include replaced by the base64 it stands for (XOP 1.0 §3.2). */
export function resolveIncludes(element: XmlElement, attachments: Attachments): XmlElement {
  return {
    ...element,
    children: element.children.map((child) => {
      if (typeof child === 'string') return child;
      const isInclude = child.localName === 'Include' && child.namespace === XOP_NAMESPACE;
      return isInclude ? included(child, attachments) : resolveIncludes(child, attachments);
    }),
  };
}

function included({ attributes }: XmlElement, attachments: Attachments): string {
  const href = attributes.href ?? '';
  const attachment = attachments.get(idOf(href));
  if (!attachment)
    throw new SoapFault('Sender', `xop:Include names "${href}", which is no part of the package.`);
  return attachment.bytes.toString('base64');
}

/** RFC 2392: a cid URL is a percent-encoded Content-ID. */
function idOf(href: string): string {
  try {
    return decodeURIComponent(href.replace(/^cid:/i, ''));
  } catch {
    return '';
  }
}

export function includeOf(contentId: string): XmlElement {
  return xmlElement('xop:Include', [], {
    'xmlns:xop': XOP_NAMESPACE,
    href: `cid:${encodeURIComponent(contentId).replaceAll('%40', '@')}`,
  });
}
