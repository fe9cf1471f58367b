// PEM (RFC 7468).
//   pemOf(label, der), certificatePem(der), bundlePem(certificates), privateKeyPem(key)
//   readPem(text)              every block of a text, with its label; anything between them is ignored
//   readPemCertificates(text)  the certificates of a bundle, as DER
//   readPemPrivateKey(text, password?)  PKCS #8 (encrypted too), PKCS #1, SEC 1

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { RoundBudget } from './key-derivation.ts';
import {
  keyStoreLimits,
  malformed,
  privateKeyOf,
  readingStore,
  tooLarge,
  wrongPassword,
} from './key-store.ts';
import { decryptInfo } from './password-encryption.ts';

export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY` … */
  readonly label: string;
  readonly der: Buffer;
  /** The block as it stood in the text. */
  readonly text: string;
}

export function pemOf(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.map((line) => `${line}\n`).join('')}-----END ${label}-----\n`;
}

export function certificatePem(certificate: Buffer): string {
  return pemOf('CERTIFICATE', certificate);
}

/** Certificates one after the other, as servers and trust stores want them. */
export function bundlePem(certificates: readonly Buffer[]): string {
  return certificates.map(certificatePem).join('');
}

/** Unencrypted PKCS #8. */
export function privateKeyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

export function readPem(text: string): PemBlock[] {
  if (text.length > keyStoreLimits.maxBytes) throw tooLarge('PEM');
  const blocks: PemBlock[] = [];
  for (let at = text.indexOf(BEGIN); at >= 0; at = text.indexOf(BEGIN, at + 1)) {
    if (blocks.length === keyStoreLimits.maxEntries) throw tooLarge('PEM');
    blocks.push(blockAt(text, at));
  }
  return blocks;
}

const BEGIN = '-----BEGIN ';
const MAX_LABEL_LENGTH = 60;

function blockAt(text: string, start: number): PemBlock {
  const labelEnd = text.indexOf('-----', start + BEGIN.length);
  const label = labelEnd < 0 ? '' : text.slice(start + BEGIN.length, labelEnd);
  const endMark = `-----END ${label}-----`;
  const end = text.indexOf(endMark, labelEnd);
  if (label === '' || label.length > MAX_LABEL_LENGTH || end < 0)
    throw malformed('PEM', 'a block has no end');
  const block = text.slice(start, end + endMark.length);
  return { label, der: decoded(text.slice(labelEnd + 5, end)), text: `${block}\n` };
}

/** Old encrypted keys have header lines before the Base64, which an empty line ends. */
function decoded(body: string): Buffer {
  const base64 = (/^\s*[\w-]+:/.test(body) ? body.replace(/^[\s\S]*?\r?\n\r?\n/, '') : body).replace(
    /\s+/g,
    '',
  );
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw malformed('PEM', 'a block is not Base64');
  return Buffer.from(base64, 'base64');
}

/** Every certificate of the text, in its order; one that cannot be read is refused. */
export function readPemCertificates(text: string): Buffer[] {
  const blocks = readPem(text).filter(({ label }) => /^(?:TRUSTED |X509 )?CERTIFICATE$/.test(label));
  return blocks.map(({ der }) => {
    try {
      return new X509Certificate(der).raw;
    } catch (cause) {
      throw malformed('PEM', 'a certificate cannot be read', cause);
    }
  });
}

/** The first private key of the text. */
export async function readPemPrivateKey(text: string, password?: string): Promise<KeyObject> {
  const block = readPem(text).find(({ label }) => label.endsWith('PRIVATE KEY'));
  if (!block) throw malformed('PEM', 'there is no private key in it');
  return readingStore('PEM', block.der, () => {
    if (block.label === 'PRIVATE KEY') return privateKeyOf('PEM', block.der);
    return block.label === 'ENCRYPTED PRIVATE KEY'
      ? readEncryptedKey(block, password)
      : readOldKey(block, password);
  });
}

/** Not by createPrivateKey: whoever wrote the file chose how many rounds opening it costs, and that call would wait. */
async function readEncryptedKey({ der }: PemBlock, password: string | undefined): Promise<KeyObject> {
  if (password === undefined) throw wrongPassword('PEM');
  return privateKeyOf('PEM', await decryptInfo(der, password, new RoundBudget('PEM')));
}

/** PKCS #1 and SEC 1, whose encryption stands in header lines. */
function readOldKey({ text }: PemBlock, password: string | undefined): KeyObject {
  const isEncrypted = text.includes('Proc-Type: 4,ENCRYPTED');
  if (isEncrypted && password === undefined) throw wrongPassword('PEM');
  try {
    return createPrivateKey({ key: text, passphrase: password ?? '' });
  } catch (cause) {
    throw isEncrypted
      ? wrongPassword('PEM', cause)
      : malformed('PEM', 'the private key cannot be read', cause);
  }
}
