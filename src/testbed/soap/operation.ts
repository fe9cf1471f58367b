import type { XmlElement } from '../content/xml.ts';
import { xmlElement } from '../content/xml.ts';
import type { TestbedCall } from '../endpoint.ts';
import { onlyElement } from './envelope.ts';
import { SoapFault } from './soap-fault.ts';
import type { SoapMessage } from './soap-message.ts';

/** The namespace of all our operations and types. */
export const SERVICE_NAMESPACE = 'urn:gatehouse:testservice:soap';

/** What an operation is given. */
export interface OperationContext {
  readonly call: TestbedCall;
  readonly message: SoapMessage;
  /** Bytes as the content of an element: an attachment when the answer is a package, else base64. */
  readonly binary: (bytes: Buffer) => XmlElement | string;
}

/** Answers with the children of its response element; nothing at all makes it one-way. */
export type Operation = (
  request: XmlElement,
  context: OperationContext,
) => readonly XmlElement[] | undefined | Promise<readonly XmlElement[] | undefined>;

/** By the local name of the request element. */
export type Operations = Readonly<Record<string, Operation>>;

export const actionOf = (name: string) => `${SERVICE_NAMESPACE}/${name}`;

/** Does what the Body asks for; undefined when there is nothing to answer. */
export async function operate(
  operations: Operations,
  context: OperationContext,
): Promise<readonly XmlElement[] | undefined> {
  const { message } = context;
  const request = onlyElement(message.bodyElements);
  const { localName, namespace } = request;
  if (namespace !== SERVICE_NAMESPACE || !Object.hasOwn(operations, localName))
    throw new SoapFault(
      'Sender',
      `There is no operation {${namespace}}${localName} here; there are ${Object.keys(operations).join(', ')} in {${SERVICE_NAMESPACE}}.`,
    );
  const expected = actionOf(localName);
  if (message.action && message.action !== expected)
    throw new SoapFault(
      'Sender',
      `The action "${message.action}" does not belong to ${localName}; send "${expected}".`,
    );
  const children = await operations[localName]!(request, context);
  return children && [responseElement(`${localName}Response`, children)];
}

/** An element of ours at the top of a Body or detail; its children take its namespace. */
export function responseElement(name: string, children: ReadonlyArray<XmlElement | string>): XmlElement {
  return xmlElement(name, children, { xmlns: SERVICE_NAMESPACE });
}
