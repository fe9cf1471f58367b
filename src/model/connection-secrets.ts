import { MASK } from '../kernel/mask.ts';
import type { SecretBox } from '../kernel/secret-box.ts';
import { completeParameters, type HeaderRow, type ParameterSet } from './connection.ts';
import type { StoredHeaderRow, StoredParameters } from './connection-document.ts';
import { PLACEHOLDER } from './connection-url.ts';

const SECRET_NAME = /auth|key|token|secret|passw|pwd|credential|cookie|session|signature|^sig$/i;
const SECRET_VALUE = /^(?:(?:bearer|basic|digest|splunk|token|apikey|negotiate|aws4-\S+)\s+\S|eyJ[\w-]+\.)/i;

/** Whether the value of a header row is one that nobody should read. */
export function isSecretHeader({ name, value }: HeaderRow): boolean {
  return SECRET_NAME.test(name) || SECRET_VALUE.test(value);
}

/** Whose secrets they are: sealed texts are bound to it and open nowhere else. */
export interface SecretPlace {
  readonly connectionId: string;
  readonly environmentId: string;
}

const urlPlace = ({ connectionId, environmentId }: SecretPlace) =>
  `connections/${connectionId}/${environmentId}/url`;
const headerPlace = ({ connectionId, environmentId }: SecretPlace, name: string) =>
  `connections/${connectionId}/${environmentId}/headers/${name.toLowerCase()}`;

/** The parameters as they may lie in the database. A mask is no value: what it stands for is missing. */
export function sealParameters(set: ParameterSet, place: SecretPlace, box: SecretBox): StoredParameters {
  const { fullUrl, headerList, ...rest } = set;
  const maskedUrl = maskUrl(fullUrl);
  const isSealed = maskedUrl !== fullUrl && !hasMaskedValue(fullUrl);
  const seal = (row: HeaderRow): StoredHeaderRow => {
    const { name, value } = row;
    if (value === MASK) return { name, isMissing: true };
    return isSecretHeader(row) ? { name, sealedValue: box.seal(value, headerPlace(place, name)) } : row;
  };
  return {
    ...rest,
    fullUrl: maskedUrl,
    ...(isSealed && { sealedUrl: box.seal(fullUrl, urlPlace(place)) }),
    headerList: headerList.map(seal),
  };
}

/** The parameters with their secrets, whole. Throws SecretUnreadable. What is missing is left as its mask. */
export function openParameters(
  { sealedUrl, ...stored }: StoredParameters,
  place: SecretPlace,
  box: SecretBox,
): ParameterSet {
  const open = (row: StoredHeaderRow): HeaderRow => {
    if ('sealedValue' in row)
      return { name: row.name, value: box.open(row.sealedValue, headerPlace(place, row.name)).toString() };
    return 'value' in row ? row : { name: row.name, value: MASK };
  };
  return completeParameters({
    ...stored,
    fullUrl: sealedUrl === undefined ? stored.fullUrl : box.open(sealedUrl, urlPlace(place)).toString(),
    headerList: stored.headerList.map(open),
  });
}

/** The parameters as anybody may see them. */
export function maskedParameters({ sealedUrl: _, ...stored }: StoredParameters): ParameterSet {
  const mask = (row: StoredHeaderRow): HeaderRow =>
    'value' in row && !isSecretHeader(row) ? row : { name: row.name, value: MASK };
  return completeParameters({
    ...stored,
    fullUrl: maskUrl(stored.fullUrl),
    headerList: stored.headerList.map(mask),
  });
}

/** Where a mask stands in place of a value: `fullUrl`, or the name of a header row. */
export function maskedMembers({
  fullUrl,
  headerList,
}: Pick<ParameterSet, 'fullUrl' | 'headerList'>): string[] {
  const headers = headerList.filter(({ value }) => value === MASK).map(({ name }) => name);
  return hasMaskedValue(fullUrl) ? ['fullUrl', ...headers] : headers;
}

/** A connection is imported without its secrets: what has to be given before it can be used. */
export function missingSecrets({ fullUrl, sealedUrl, headerList }: StoredParameters): string[] {
  const headers = headerList.filter((row) => 'isMissing' in row).map(({ name }) => name);
  return sealedUrl === undefined && hasMaskedValue(fullUrl) ? ['fullUrl', ...headers] : headers;
}

/** What came from outside: masks stand for what is stored. A mask for which nothing is stored stays. */
export function withStoredSecrets(given: ParameterSet, stored: ParameterSet | undefined): ParameterSet {
  if (!stored) return given;
  const values = new Map(stored.headerList.map(({ name, value }) => [name.toLowerCase(), value]));
  return {
    ...given,
    fullUrl: unmaskUrl(given.fullUrl, stored.fullUrl),
    headerList: given.headerList.map((row) =>
      row.value === MASK ? { ...row, value: values.get(row.name.toLowerCase()) ?? MASK } : row,
    ),
  };
}

/** Whether the query of the address has a mask where a value belongs. */
function hasMaskedValue(fullUrl: string): boolean {
  return queryPairs(fullUrl).some(({ value }) => value === MASK);
}

/** Secrets in the query, such as `?token=…`, are masked; placeholders are none. */
function maskUrl(fullUrl: string): string {
  return withQueryValues(fullUrl, ({ name, value }) =>
    SECRET_NAME.test(name) && value.replace(PLACEHOLDER, '') !== '' ? MASK : value,
  );
}

function unmaskUrl(fullUrl: string, stored: string): string {
  const values = new Map(queryPairs(stored).map(({ key, value }) => [key, value]));
  return withQueryValues(fullUrl, ({ key, value }) => (value === MASK ? (values.get(key) ?? MASK) : value));
}

interface QueryPair {
  readonly name: string;
  readonly value: string;
  /** Name and how many of that name came before: what tells pairs apart. */
  readonly key: string;
}

function queryPairs(fullUrl: string): QueryPair[] {
  const pairs: QueryPair[] = [];
  withQueryValues(fullUrl, (pair) => {
    pairs.push(pair);
    return pair.value;
  });
  return pairs;
}

/** The address with other values in its query. Everything else stays exactly as written. */
function withQueryValues(fullUrl: string, change: (pair: QueryPair) => string): string {
  const queryAt = fullUrl.indexOf('?');
  if (queryAt < 0) return fullUrl;
  const counts = new Map<string, number>();
  const pieces = fullUrl
    .slice(queryAt + 1)
    .split('&')
    .map((piece) => {
      const equalsAt = piece.indexOf('=');
      if (equalsAt < 0) return piece;
      const name = piece.slice(0, equalsAt);
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return `${name}=${change({ name, value: piece.slice(equalsAt + 1), key: `${name}#${count}` })}`;
    });
  return `${fullUrl.slice(0, queryAt)}?${pieces.join('&')}`;
}
