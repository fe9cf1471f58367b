import { type Answer, type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { writeMultipart } from '../content/multipart-writer.ts';
import { writeXml, type XmlElement } from '../content/xml.ts';
import type { TestbedCall } from '../endpoint.ts';
import { writeEnvelope } from './envelope.ts';
import { checkUnderstood } from './must-understand.ts';
import type { OperationContext } from './operation.ts';
import { faultElement, httpStatusOf, type SoapFault, soapFaultOf } from './soap-fault.ts';
import { readSoapMessage, type SoapMessage, spokenVersion } from './soap-message.ts';
import type { SoapVersion } from './soap-version.ts';
import { includeOf } from './xop.ts';

export interface BindingOptions {
  /** Header blocks this address understands; none unless given. */
  readonly understands?: (block: XmlElement) => boolean;
  /** Answers as XOP package even when the request was none. */
  readonly isPackaged?: boolean;
  /** The elements of the answer's Body; undefined for a message that is only taken. */
  readonly answer: (context: OperationContext) => Promise<readonly XmlElement[] | undefined>;
}

/** SOAP over HTTP: reads the message, has it answered, and tells every error in an envelope of the same version. */
export async function answerSoap(call: TestbedCall, options: BindingOptions): Promise<Answer> {
  const version = spokenVersion(call);
  try {
    const message = await readSoapMessage(call, version);
    checkUnderstood(message.headerBlocks, version, options.understands ?? (() => false));
    return await answerMessage(call, message, options);
  } catch (error) {
    const soapFault = soapFaultOf(error);
    if (!soapFault) throw error;
    return faultAnswer(soapFault, version);
  }
}

async function answerMessage(
  call: TestbedCall,
  message: SoapMessage,
  { isPackaged = message.isPackaged, answer }: BindingOptions,
): Promise<PlainAnswer> {
  const attachments: Attached[] = [];
  const attach = (bytes: Buffer) => {
    const contentId = `attachment-${attachments.length + 1}@testservice`;
    attachments.push({ contentId, bytes });
    return includeOf(contentId);
  };
  const binary = isPackaged ? attach : (bytes: Buffer) => bytes.toString('base64');
  const elements = await answer({ call, message, binary });
  if (!elements) return reply.empty(202);
  const document = writeXml(writeEnvelope(message.version, elements));
  return isPackaged
    ? packageAnswer(document, message.version, attachments, `package-${call.services.random.uuid()}`)
    : documentAnswer(document, message.version);
}

export function faultAnswer(
  soapFault: SoapFault,
  version: SoapVersion,
  status = httpStatusOf(soapFault, version),
): PlainAnswer {
  const headerBlocks = soapFault.parts.headerBlocks?.(version);
  return documentAnswer(
    writeXml(writeEnvelope(version, [faultElement(soapFault, version)], headerBlocks)),
    version,
    status,
  );
}

function documentAnswer(document: string, { mediaType }: SoapVersion, status = 200): PlainAnswer {
  return reply.bytes(document, `${mediaType}; charset=utf-8`, { status });
}

interface Attached {
  readonly contentId: string;
  readonly bytes: Buffer;
}

const ROOT_ID = 'root@testservice';

/** MTOM: the envelope as the root of a package, the bytes beside it as they are. */
function packageAnswer(
  document: string,
  { mediaType }: SoapVersion,
  attachments: readonly Attached[],
  boundary: string,
): PlainAnswer {
  const root = {
    headers: [
      ...['Content-Type', `application/xop+xml; charset=utf-8; type="${mediaType}"`],
      ...['Content-Transfer-Encoding', '8bit', 'Content-ID', `<${ROOT_ID}>`],
    ],
    content: document,
  };
  const others = attachments.map(({ contentId, bytes }) => ({
    headers: [
      ...['Content-Type', 'application/octet-stream'],
      ...['Content-Transfer-Encoding', 'binary', 'Content-ID', `<${contentId}>`],
    ],
    content: bytes,
  }));
  const contentType = `multipart/related; type="application/xop+xml"; boundary="${boundary}"; start="<${ROOT_ID}>"; start-info="${mediaType}"`;
  return reply.bytes(writeMultipart(boundary, [root, ...others]), contentType);
}
