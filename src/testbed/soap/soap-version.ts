/** What differs between SOAP 1.1 and SOAP 1.2, as far as it is data. */
export interface SoapVersion {
  readonly name: '1.1' | '1.2';
  readonly namespace: string;
  readonly mediaType: 'text/xml' | 'application/soap+xml';
  /** The attribute that names for whom a header block is meant, and the names that mean us. */
  readonly role: { readonly attribute: string; readonly ours: readonly string[] };
}

export const soap11: SoapVersion = {
  name: '1.1',
  namespace: 'http://schemas.xmlsoap.org/soap/envelope/',
  mediaType: 'text/xml',
  role: { attribute: 'actor', ours: ['', 'http://schemas.xmlsoap.org/soap/actor/next'] },
};

export const soap12: SoapVersion = {
  name: '1.2',
  namespace: 'http://www.w3.org/2003/05/soap-envelope',
  mediaType: 'application/soap+xml',
  role: {
    attribute: 'role',
    ours: [
      '',
      'http://www.w3.org/2003/05/soap-envelope/role/next',
      'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver',
    ],
  },
};

export const soapVersions: readonly SoapVersion[] = [soap11, soap12];

export function versionOfMediaType(mediaType: string | undefined): SoapVersion | undefined {
  return soapVersions.find((version) => version.mediaType === mediaType);
}
