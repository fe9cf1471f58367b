import { SaxesParser } from 'saxes';
import { type Fault, fault } from '../../kernel/faults.ts';

/** An element with its content in document order; comments and processing instructions are left out. */
export interface XmlElement {
  /** The name as written, prefix included. */
  readonly name: string;
  readonly localName: string;
  readonly namespace: string;
  /** By name as written, namespace declarations included. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: ReadonlyArray<XmlElement | string>;
}

export interface XmlLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  /** Elements and attributes together. */
  readonly maxNodes: number;
}

export const defaultXmlLimits: XmlLimits = { maxBytes: 10 * 1024 * 1024, maxDepth: 100, maxNodes: 100_000 };

type OpenElement = Omit<XmlElement, 'children'> & { readonly children: Array<XmlElement | string> };

/**
 * Parses a document that nobody vouches for: no DOCTYPE, no entities but the five of XML itself, bounded in
 * size, depth and count. What breaks a rule is refused by a fault that names it.
 */
export function parseXml(document: Uint8Array | string, limits: XmlLimits = defaultXmlLimits): XmlElement {
  if (document.length > limits.maxBytes) throw fault('xml.too-large', { maxBytes: limits.maxBytes });
  const parser = new SaxesParser({ xmlns: true, position: true });
  const open: OpenElement[] = [];
  let root: OpenElement | undefined;
  let nodeCount = 0;

  const countNode = () => {
    if (++nodeCount > limits.maxNodes) throw fault('xml.too-many-nodes', { maxNodes: limits.maxNodes });
  };
  const addText = (text: string) => {
    const siblings = open.at(-1)?.children;
    if (!siblings || text === '') return;
    const last = siblings.length - 1;
    if (typeof siblings[last] === 'string') siblings[last] += text;
    else siblings.push(text);
  };

  parser.on('error', (error) => {
    throw malformed(error.message);
  });
  parser.on('doctype', () => {
    throw fault('xml.doctype-forbidden');
  });
  parser.on('opentagstart', () => {
    countNode();
    if (open.length >= limits.maxDepth) throw fault('xml.too-deep', { maxDepth: limits.maxDepth });
  });
  parser.on('attribute', countNode);
  parser.on('opentag', (tag) => {
    const attributes = Object.fromEntries(
      Object.values(tag.attributes).map((attribute) => [attribute.name, attribute.value]),
    );
    const element: OpenElement = {
      name: tag.name,
      localName: tag.local,
      namespace: tag.uri,
      attributes,
      children: [],
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.on('text', addText);
  parser.on('cdata', addText);

  parser.write(typeof document === 'string' ? document : textOf(document)).close();
  if (!root) throw malformed('document must contain a root element.');
  return root;
}

/** The text of an element: its own and that of everything below. */
export function textContent(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textContent(child))).join('');
}

export function childElements(element: XmlElement): XmlElement[] {
  return element.children.filter((child) => typeof child !== 'string');
}

/** Makes an element to be written; no namespaces beyond the attributes given. */
export function xmlElement(
  name: string,
  children: ReadonlyArray<XmlElement | string> = [],
  attributes: Readonly<Record<string, string>> = {},
): XmlElement {
  return { name, localName: name.slice(name.indexOf(':') + 1), namespace: '', attributes, children };
}

/** The whole document in UTF-8. Elements that hold only elements are indented; text is never touched. */
export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeElement(root, '')}\n`;
}

function writeElement(element: XmlElement, indent: string): string {
  const attributes = Object.entries(element.attributes)
    .map(([name, value]) => ` ${name}="${xmlEscape(value)}"`)
    .join('');
  if (element.children.length === 0) return `${indent}<${element.name}${attributes}/>`;
  const hasText = element.children.some((child) => typeof child === 'string');
  const content = element.children
    .map((child) =>
      typeof child === 'string' ? xmlEscape(child) : writeElement(child, hasText ? '' : `${indent}  `),
    )
    .join(hasText ? '' : '\n');
  const inner = hasText ? content : `\n${content}\n${indent}`;
  return `${indent}<${element.name}${attributes}>${inner}</${element.name}>`;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};

/** Text safe in content and in attribute values. Characters that XML 1.0 cannot hold become U+FFFD. */
export function xmlEscape(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"'\r]/g, (character) => escapes[character]!);
}

/** UTF-8, or UTF-16 when a byte order mark says so (XML 1.0 §4.3.3). */
function textOf(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw malformed(`the document is not valid ${encoding.toUpperCase()}.`);
  }
}

function malformed(reason: string): Fault {
  return fault('xml.malformed', { reason });
}
