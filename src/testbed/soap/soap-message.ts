import { HeaderList } from '../../http1/header-list.ts';
import { fault } from '../../kernel/faults.ts';
import { charsetOf, contentTypeOf, decodeText } from '../content/charsets.ts';
import { decodeChain } from '../content/codings.ts';
import { boundaryOf, readMultipart } from '../content/multipart-reader.ts';
import { defaultXmlLimits, parseXml, type XmlElement } from '../content/xml.ts';
import type { TestbedCall } from '../endpoint.ts';
import { type Envelope, readEnvelope } from './envelope.ts';
import { SoapFault } from './soap-fault.ts';
import { type SoapVersion, versionOfMediaType } from './soap-version.ts';
import { type Attachments, resolveIncludes } from './xop.ts';

export interface SoapMessage extends Envelope {
  readonly version: SoapVersion;
  /** The SOAPAction field of SOAP 1.1 or the action parameter of SOAP 1.2; undefined when not said. */
  readonly action: string | undefined;
  /** True when the message came as XOP package (MTOM). */
  readonly isPackaged: boolean;
  readonly attachments: Attachments;
}

/** The root document of a request, still as bytes, and how to read it. */
interface RootPart {
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
  readonly isPackaged: boolean;
  readonly attachments: Attachments;
}

const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The version a request speaks by its Content-Type. Anything that is no SOAP is answered by 415. */
export function spokenVersion({ request }: TestbedCall): SoapVersion {
  const header = request.headers.first('content-type');
  const { type, params } = contentTypeOf(header);
  // A package names the type of its root document in start-info, or in type when it is no XOP.
  const rootType = type === 'multipart/related' ? packagedType(params) : type;
  const version = versionOfMediaType(rootType);
  if (!version)
    throw fault('body.unsupported-type', {
      type: header ?? '(none)',
      accepted: 'text/xml (SOAP 1.1), application/soap+xml (SOAP 1.2) or multipart/related of one of them',
    });
  return version;
}

function packagedType(params: ReadonlyMap<string, string>): string | undefined {
  const type = params.get('type')?.toLowerCase();
  if (type !== 'application/xop+xml') return type;
  return contentTypeOf(params.get('start-info') ?? 'text/xml').type;
}

/** Reads the request as a message of the version it speaks. */
export async function readSoapMessage(call: TestbedCall, version: SoapVersion): Promise<SoapMessage> {
  const { contentType, bytes, isPackaged, attachments } = await readRootPart(call);
  const document = resolveIncludes(parseXml(documentText(bytes, contentType), defaultXmlLimits), attachments);
  return {
    ...readEnvelope(document, version),
    version,
    action: actionOf(call, version, contentType),
    isPackaged,
    attachments,
  };
}

async function readRootPart({ request, exchange, services }: TestbedCall): Promise<RootPart> {
  const { limits } = services.settings;
  const maxBytes = Math.min(limits.maxBodyBytes, MAX_BODY_BYTES);
  const sent = await exchange.body.bytes(maxBytes);
  const coding = request.headers.get('content-encoding');
  const bytes = coding === undefined ? sent : (await decodeChain(coding, sent, maxBytes)).decoded;
  const contentType = request.headers.first('content-type');
  const { type, params } = contentTypeOf(contentType);
  if (type !== 'multipart/related') return { contentType, bytes, isPackaged: false, attachments: new Map() };

  const parts = readMultipart(bytes, boundaryOf(contentType), limits).map(({ headers, content }) => {
    const fields = new HeaderList(headers);
    return { id: contentId(fields.first('content-id')), contentType: fields.first('content-type'), content };
  });
  const start = contentId(params.get('start'));
  const root = start === '' ? parts[0] : parts.find(({ id }) => id === start);
  if (!root) throw new SoapFault('Sender', `The package has no part ${start || 'at all'} to start with.`);
  const others = parts.filter((part) => part !== root);
  return {
    contentType: root.contentType,
    bytes: root.content,
    isPackaged: params.get('type')?.toLowerCase() === 'application/xop+xml',
    attachments: new Map(others.map(({ id, contentType, content }) => [id, { contentType, bytes: content }])),
  };
}

function contentId(field: string | undefined): string {
  return (field ?? '').trim().replace(/^<(.*)>$/, '$1');
}

/** RFC 7303 §3: the charset parameter counts, then a byte order mark, then what the document says of itself. */
function documentText(bytes: Buffer, contentType: string | undefined): Buffer | string {
  const declared = /^<\?xml[^>]*?encoding=["']([A-Za-z0-9._-]+)["']/.exec(
    bytes.toString('latin1', 0, 200),
  )?.[1];
  const label = contentTypeOf(contentType).charset ?? declared;
  if (label === undefined || /^utf-?(?:8|16)$/i.test(label)) return bytes;
  const charset = charsetOf(label);
  if (!charset) throw new SoapFault('Sender', `The charset ${label} is not understood.`);
  const { text, isValid } = decodeText(bytes, charset);
  if (!isValid) throw new SoapFault('Sender', `The document is not valid ${charset}.`);
  return text;
}

function actionOf(
  { request }: TestbedCall,
  version: SoapVersion,
  rootContentType: string | undefined,
): string | undefined {
  if (version.name === '1.1')
    return request.headers
      .first('soapaction')
      ?.trim()
      .replace(/^"(.*)"$/, '$1');
  const outer = contentTypeOf(request.headers.first('content-type')).params;
  return outer.get('action') ?? contentTypeOf(rootContentType).params.get('action');
}

/** The text of the child element of that name in the same namespace; undefined when there is none. */
export function childText(element: XmlElement, localName: string): string | undefined {
  const child = element.children.find(
    (one) => typeof one !== 'string' && one.localName === localName && one.namespace === element.namespace,
  ) as XmlElement | undefined;
  return child?.children.map((one) => (typeof one === 'string' ? one : '')).join('');
}
