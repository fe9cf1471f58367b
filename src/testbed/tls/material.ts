import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { type Authority, issueCertificate, selfSigned } from '../../pki/certificate.ts';
import { makeKeys } from '../../pki/key-factory.ts';
import { keyPairOf } from '../../pki/keys.ts';
import { bundlePem, privateKeyPem } from '../../pki/pem.ts';
import {
  type CertificateName,
  type CertificateRecipe,
  type CertificateRecipes,
  certificateRecipes,
  type KeyName,
  keyKindByName,
  type Place,
} from './certificate-recipes.ts';
import { makeStores, type StoreName } from './stores.ts';

/** Keys and certificates as they are kept: plain data. */
export interface MaterialData {
  readonly format: typeof MATERIAL_FORMAT;
  /** PKCS #8, PEM. */
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly certificates: Readonly<Record<CertificateName, KeptCertificate>>;
  /** Base64; kept because a key store made again has other bytes. */
  readonly stores: Readonly<Record<StoreName, string>>;
}

interface KeptCertificate {
  /** Of everything the certificate was made from; another digest means that it has to be made anew. */
  readonly madeFrom: string;
  /** Base64. */
  readonly der: string;
}

/** Changes with what is kept; older material is made anew. */
export const MATERIAL_FORMAT = 1;

const DAY_MS = 24 * 3600 * 1000;

/** All keys and certificates of the test authority. */
export class Material {
  readonly recipes: CertificateRecipes;
  readonly #data: MaterialData;
  readonly #parsed = new Map<CertificateName, X509Certificate>();

  constructor(data: MaterialData, place: Place) {
    this.#data = data;
    this.recipes = certificateRecipes(place);
  }

  /** The private key of a certificate: PKCS #8, PEM. */
  keyPem(name: CertificateName): string {
    return this.#data.keys[this.recipes[name].key];
  }

  /** DER. */
  certificate(name: CertificateName): Buffer {
    return derOf(this.#data.certificates[name]);
  }

  /** The certificate with its key, as something that signs. */
  authority(name: CertificateName): Authority {
    return { certificate: this.certificate(name), privateKey: createPrivateKey(this.keyPem(name)) };
  }

  x509(name: CertificateName): X509Certificate {
    const found = this.#parsed.get(name) ?? new X509Certificate(this.certificate(name));
    this.#parsed.set(name, found);
    return found;
  }

  store(name: StoreName): Buffer {
    return Buffer.from(this.#data.stores[name], 'base64');
  }

  chainPem(names: readonly CertificateName[]): string {
    return bundlePem(names.map((name) => this.certificate(name)));
  }
}

export interface MakingOptions {
  readonly place: Place;
  readonly nowMs: number;
  readonly signal?: AbortSignal;
  readonly onKey?: (made: { readonly name: string; readonly done: number; readonly total: number }) => void;
}

/** Completes what is kept: keys that are missing, certificates that are missing, rotten, or made from something else. */
export async function makeMaterial(
  kept: MaterialData | undefined,
  { place, nowMs, signal, onKey }: MakingOptions,
): Promise<MaterialData> {
  const keys = await completeKeys(kept?.keys, signal, onKey);
  const certificates: Record<string, KeptCertificate> = {};
  let isChanged = kept === undefined || keys !== kept.keys;
  const recipes = certificateRecipes(place);
  for (const [name, recipe] of Object.entries(recipes) as RecipeEntry[]) {
    const issuer = recipe.issuer === 'self' ? undefined : certificates[recipe.issuer]!;
    const madeFrom = digestOf(recipe, keys[recipe.key], issuer?.der);
    const found = kept?.certificates[name];
    if (found?.madeFrom === madeFrom && !isRotten(recipe, new X509Certificate(derOf(found)), nowMs)) {
      certificates[name] = found;
      continue;
    }
    const issuerKey = recipe.issuer === 'self' ? recipe.key : recipes[recipe.issuer].key;
    const der = make(recipe, keys, issuer && { der: derOf(issuer), key: keys[issuerKey] }, nowMs);
    certificates[name] = { madeFrom, der: der.toString('base64') };
    isChanged = true;
  }
  if (kept && !isChanged) return kept;
  const made = { format: MATERIAL_FORMAT, keys, certificates, stores: {} } as MaterialData;
  return { ...made, stores: await makeStores(new Material(made, place), new Date(nowMs)) };
}

type RecipeEntry = [name: CertificateName, recipe: CertificateRecipe];

async function completeKeys(
  kept: MaterialData['keys'] | undefined,
  signal: AbortSignal | undefined,
  onKey: MakingOptions['onKey'],
): Promise<MaterialData['keys']> {
  const missing = (Object.keys(keyKindByName) as KeyName[]).filter((name) => kept?.[name] === undefined);
  if (kept && missing.length === 0) return kept;
  const made = await makeKeys(
    missing.map((name) => [name, keyKindByName[name]] as const),
    { ...(signal && { signal }), ...(onKey && { onKey }) },
  );
  const pems = Object.fromEntries(
    [...made].map(([name, { privateKey }]) => [name, privateKeyPem(privateKey)]),
  );
  return { ...kept, ...pems } as MaterialData['keys'];
}

function make(
  { key, scheme, subject, days, extensions }: CertificateRecipe,
  keys: MaterialData['keys'],
  issuer: { readonly der: Buffer; readonly key: string } | undefined,
  nowMs: number,
): Buffer {
  const pair = keyPairOf(createPrivateKey(keys[key]));
  const profile = {
    subject,
    notBefore: new Date(nowMs + days.from * DAY_MS),
    notAfter: new Date(nowMs + days.to * DAY_MS),
    extensions,
  };
  if (!issuer) return selfSigned(profile, pair, scheme);
  const authority = { certificate: issuer.der, privateKey: createPrivateKey(issuer.key) };
  return issueCertificate({ ...profile, publicKey: pair.publicKey }, authority, scheme);
}

/** Whether a certificate has less than a third of its time left before it stops being what its recipe says. */
function isRotten({ days }: CertificateRecipe, made: X509Certificate, nowMs: number): boolean {
  // What has expired stays expired.
  if (days.to < 0) return false;
  const isForLater = days.from > 0;
  const turnsAtMs = isForLater ? Date.parse(made.validFrom) : Date.parse(made.validTo);
  const wholeMs = (isForLater ? days.from : days.to - days.from) * DAY_MS;
  return turnsAtMs - nowMs < wholeMs / 3;
}

function digestOf(recipe: CertificateRecipe, keyPem: string, issuerDer: string | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([recipe, keyPem, issuerDer ?? null]))
    .digest('base64url');
}

function derOf({ der }: KeptCertificate): Buffer {
  return Buffer.from(der, 'base64');
}
