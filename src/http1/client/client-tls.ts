import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';
import type { ClientTls } from './client-options.ts';
import { TlsSettingsInvalid } from './socket-failures.ts';

const MAX_SESSIONS = 1_000;

/** What the connections of a pool share of TLS: trust and keys, read once, and the sessions that targets gave. */
export class TlsSettings {
  readonly #tls: ClientTls;
  readonly #sessions = new Map<string, Buffer>();
  #context: SecureContext | undefined = undefined;

  constructor(tls: ClientTls) {
    this.#tls = tls;
  }

  get hasClientCertificate(): boolean {
    return this.#tls.cert !== undefined || this.#tls.pfx !== undefined;
  }

  /** Throws TlsSettingsInvalid. */
  optionsFor(host: string, hostKey: string): ConnectionOptions {
    const { ca, verifiesHostname = true } = this.#tls;
    this.#context ??= contextOf(this.#tls);
    return {
      secureContext: this.#context,
      session: this.#sessions.get(hostKey),
      rejectUnauthorized: ca !== undefined,
      // RFC 6066 §3: a literal address is no name to ask for.
      servername: isIP(host) === 0 ? host : '',
      ALPNProtocols: ['http/1.1'],
      ...(!verifiesHostname && { checkServerIdentity: () => undefined }),
    };
  }

  keepSession(hostKey: string, session: Buffer): void {
    if (this.#sessions.size >= MAX_SESSIONS && !this.#sessions.has(hostKey)) this.#sessions.clear();
    this.#sessions.set(hostKey, session);
  }

  dropSession(hostKey: string): void {
    this.#sessions.delete(hostKey);
  }
}

function contextOf(tls: ClientTls): SecureContext {
  const { ca, cert, key, pfx, passphrase, minVersion = 'TLSv1.2', maxVersion = 'TLSv1.3' } = tls;
  try {
    return createSecureContext({
      // Without verification nothing needs to be trusted, and the usual roots are not even read.
      ca: ca === undefined ? [] : mutable(ca),
      cert: cert && mutable(cert),
      key,
      pfx,
      passphrase,
      minVersion,
      maxVersion,
    });
  } catch (error) {
    throw new TlsSettingsInvalid(error);
  }
}

function mutable<Item>(material: Item | readonly Item[]): Item | Item[] {
  return Array.isArray(material) ? [...material] : (material as Item);
}
