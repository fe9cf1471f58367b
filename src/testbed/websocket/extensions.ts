import type { DeflateParameters } from './message-coder.ts';

/** One element of Sec-WebSocket-Extensions: a name with parameters, whose values may be missing. */
export interface Extension {
  readonly name: string;
  readonly parameters: ReadonlyArray<[name: string, value: string | undefined]>;
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
// A quoted value must be a token once its quotes are gone (RFC 6455 §9.1).
const PARAMETER = `[ \\t]*;[ \\t]*(${TOKEN})(?:[ \\t]*=[ \\t]*(?:(${TOKEN})|"(${TOKEN})"))?`;
const ELEMENT = new RegExp(`^[ \\t]*(${TOKEN})((?:${PARAMETER})*)[ \\t]*$`);

/** Undefined when the field is malformed. */
export function parseExtensions(field: string): Extension[] | undefined {
  const extensions: Extension[] = [];
  for (const element of field.split(',')) {
    if (element.trim() === '') continue;
    const parsed = ELEMENT.exec(element);
    if (!parsed) return undefined;
    const parameters = [...parsed[2]!.matchAll(new RegExp(PARAMETER, 'g'))].map(
      ([, name, token, quoted]): [string, string | undefined] => [name!, token ?? quoted],
    );
    extensions.push({ name: parsed[1]!, parameters });
  }
  return extensions;
}

/** What the server wants beyond what the client offers. */
export interface DeflateWishes {
  readonly serverNoContextTakeover?: boolean;
  readonly clientNoContextTakeover?: boolean;
  readonly serverMaxWindowBits?: number;
  /** Can only be asked of a client that offers it. */
  readonly clientMaxWindowBits?: number;
}

export interface AcceptedDeflate {
  readonly parameters: DeflateParameters;
  /** The element of Sec-WebSocket-Extensions that tells the client so. */
  readonly field: string;
}

const NAME = 'permessage-deflate';

/** Accepts the first offer that can be met (RFC 7692 §5); undefined when there is none. */
export function negotiateDeflate(
  offers: readonly Extension[],
  wishes: DeflateWishes,
): AcceptedDeflate | undefined {
  for (const { name, parameters } of offers) {
    const offer = name === NAME ? readOffer(parameters) : undefined;
    if (offer) return accept(offer, wishes);
  }
  return undefined;
}

interface DeflateOffer {
  serverNoContextTakeover: boolean;
  clientNoContextTakeover: boolean;
  serverMaxWindowBits: number | undefined;
  /** `any` when the client takes a limit without naming one. */
  clientMaxWindowBits: number | 'any' | undefined;
}

/** Undefined for an offer that must be declined: an unknown, repeated or invalid parameter. */
function readOffer(parameters: Extension['parameters']): DeflateOffer | undefined {
  const offer: DeflateOffer = {
    serverNoContextTakeover: false,
    clientNoContextTakeover: false,
    serverMaxWindowBits: undefined,
    clientMaxWindowBits: undefined,
  };
  const seen = new Set<string>();
  for (const [name, value] of parameters) {
    if (seen.has(name)) return undefined;
    seen.add(name);
    const bits = value !== undefined && /^(?:[89]|1[0-5])$/.test(value) ? Number(value) : undefined;
    if (name === 'server_no_context_takeover' && value === undefined) offer.serverNoContextTakeover = true;
    else if (name === 'client_no_context_takeover' && value === undefined)
      offer.clientNoContextTakeover = true;
    else if (name === 'server_max_window_bits' && bits !== undefined) offer.serverMaxWindowBits = bits;
    else if (name === 'client_max_window_bits' && (bits !== undefined || value === undefined))
      offer.clientMaxWindowBits = bits ?? 'any';
    else return undefined;
  }
  return offer;
}

function accept(offer: DeflateOffer, wishes: DeflateWishes): AcceptedDeflate {
  const serverNoContextTakeover = offer.serverNoContextTakeover || wishes.serverNoContextTakeover === true;
  const clientNoContextTakeover = offer.clientNoContextTakeover || wishes.clientNoContextTakeover === true;
  const serverBits = smaller(offer.serverMaxWindowBits, wishes.serverMaxWindowBits);
  const offeredBits = offer.clientMaxWindowBits === 'any' ? undefined : offer.clientMaxWindowBits;
  const clientBits =
    offer.clientMaxWindowBits === undefined ? undefined : smaller(offeredBits, wishes.clientMaxWindowBits);
  const elements = [NAME];
  if (serverNoContextTakeover) elements.push('server_no_context_takeover');
  if (clientNoContextTakeover) elements.push('client_no_context_takeover');
  if (serverBits !== undefined) elements.push(`server_max_window_bits=${serverBits}`);
  if (clientBits !== undefined) elements.push(`client_max_window_bits=${clientBits}`);
  return {
    field: elements.join('; '),
    parameters: {
      serverNoContextTakeover,
      clientNoContextTakeover,
      serverMaxWindowBits: serverBits ?? 15,
      clientMaxWindowBits: clientBits ?? 15,
    },
  };
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
