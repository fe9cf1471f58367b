import { SERVICE_NAMESPACE } from './operation.ts';
import { type SoapVersion, soap11, soap12 } from './soap-version.ts';
import { PASSWORD_TEXT, WSSE_NAMESPACE } from './username-token.ts';

/** A message as text: what stands in its Body, and in its Header. */
export function envelope(version: SoapVersion, body: string, header = ''): string {
  const headerElement = header === '' ? '' : `<s:Header>${header}</s:Header>`;
  return `<s:Envelope xmlns:s="${version.namespace}" xmlns:t="${SERVICE_NAMESPACE}">${headerElement}<s:Body>${body}</s:Body></s:Envelope>`;
}

interface ExampleMessage {
  readonly headers: readonly string[];
  readonly body: string;
}

export function example11(body: string, header?: string): ExampleMessage {
  return { headers: ['Content-Type', 'text/xml; charset=utf-8'], body: envelope(soap11, body, header) };
}

export function example12(body: string, header?: string): ExampleMessage {
  return {
    headers: ['Content-Type', 'application/soap+xml; charset=utf-8'],
    body: envelope(soap12, body, header),
  };
}

/** A Security header with the password as it is. */
export function plainToken(userName: string, password: string): string {
  return `<w:Security xmlns:w="${WSSE_NAMESPACE}" s:mustUnderstand="1"><w:UsernameToken><w:Username>${userName}</w:Username><w:Password Type="${PASSWORD_TEXT}">${password}</w:Password></w:UsernameToken></w:Security>`;
}
