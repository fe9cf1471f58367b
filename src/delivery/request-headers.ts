import type { HeaderPairs } from '../http1/header-list.ts';
import { version } from '../kernel/version.ts';
import type { DeliverySettings } from './delivery-settings.ts';

export interface RequestHeaders {
  readonly plain: HeaderPairs;
  /** For a compressed body. */
  readonly gzipped: HeaderPairs;
}

/** The header fields of every call of a connection. What is configured goes before what we would say ourselves. */
export function requestHeaders(settings: DeliverySettings): RequestHeaders {
  const { collector } = settings;
  // The channel is ours alone to name: acknowledgements are counted by it.
  const configured = without(settings.headers, collector ? collector.channelHeader : '');
  const plain = [
    ...configured,
    ...unless(configured, 'Content-Type', contentType(settings)),
    ...unless(configured, 'User-Agent', `Gatehouse/${version}`),
    ...(collector ? [collector.channelHeader, collector.channel] : []),
  ];
  return { plain, gzipped: [...without(plain, 'Content-Encoding'), 'Content-Encoding', 'gzip'] };
}

/** Collectors speak of JSON also where objects follow each other. */
function contentType({ batch, collector }: DeliverySettings): string {
  return batch.isEnabled && !collector ? 'application/x-ndjson' : 'application/json';
}

function unless(headers: HeaderPairs, name: string, value: string): string[] {
  return headers.some((one, index) => index % 2 === 0 && isSame(one, name)) ? [] : [name, value];
}

function without(headers: HeaderPairs, name: string): string[] {
  return headers.filter((_, index) => !isSame(headers[index - (index % 2)]!, name));
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
