import type { HeaderList } from '../../http1/header-list.ts';
import type { Check } from './check.ts';

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const TRACESTATE_KEY = /^(?:[a-z][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})$/;
const TRACESTATE_VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const B3_SINGLE = /^(?:[01d]|(?:[0-9a-f]{16}|[0-9a-f]{32})-[0-9a-f]{16}(?:-[01d](?:-[0-9a-f]{16})?)?)$/;
const BAGGAGE_MEMBER =
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*=[ \t]*[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*(?:;.*)?$/;

export interface Traceparent {
  readonly version: string;
  readonly traceId: string;
  readonly parentId: string;
  readonly isSampled: boolean;
}

/** W3C Trace Context §3.2. Undefined when invalid. */
export function parseTraceparent(value: string): Traceparent | undefined {
  const match = TRACEPARENT.exec(value);
  if (!match) return undefined;
  const [, version = '', traceId = '', parentId = '', flags = '', rest] = match;
  if (version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  return { version, traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** W3C Trace Context §3.3: at most 32 members, keys unique. */
export function isValidTracestate(value: string): boolean {
  const members = value.split(',').map((member) => member.trim());
  const present = members.filter((member) => member !== '');
  const keys = present.map((member) => member.slice(0, Math.max(member.indexOf('='), 0)));
  const isMember = (member: string, index: number) =>
    TRACESTATE_KEY.test(keys[index]!) && TRACESTATE_VALUE.test(member.slice(keys[index]!.length + 1));
  return present.length <= 32 && new Set(keys).size === keys.length && present.every(isMember);
}

/** B3 in one field (`b3`), as Zipkin's propagation document writes it. */
export function isValidB3(value: string): boolean {
  return B3_SINGLE.test(value);
}

/** W3C Baggage §3.2. */
export function isValidBaggage(value: string): boolean {
  const members = value.split(',').map((member) => member.trim());
  return (
    members.length <= 180 && value.length <= 8192 && members.every((member) => BAGGAGE_MEMBER.test(member))
  );
}

/** Judges the tracing fields that arrived, and compares the trace with the one the client began. */
export function traceChecks(headers: HeaderList): Check[] {
  const validity = validators.flatMap(({ name, isValid, why }) => {
    const seen = headers.get(name);
    return seen === undefined
      ? []
      : [{ id: `trace.${name}`, ok: isValid(seen), expected: 'valid', seen, why }];
  });
  const sent = headers.get('x-expect-traceparent');
  return sent === undefined
    ? validity
    : [...validity, ...continuationChecks(sent, headers.get('traceparent'))];
}

const validators = [
  {
    name: 'traceparent',
    isValid: (value: string) => parseTraceparent(value) !== undefined,
    why: 'W3C Trace Context §3.2: version, trace id, parent id and flags in lower-case hex, ids not all zero.',
  },
  {
    name: 'tracestate',
    isValid: isValidTracestate,
    why: 'W3C Trace Context §3.3: at most 32 key=value members.',
  },
  { name: 'b3', isValid: isValidB3, why: 'B3 single field: trace id, span id, sampling, parent.' },
  { name: 'baggage', isValid: isValidBaggage, why: 'W3C Baggage §3.2: key=value members, at most 180.' },
];

function continuationChecks(sent: string, seen: string | undefined): Check[] {
  const before = parseTraceparent(sent);
  const after = seen === undefined ? undefined : parseTraceparent(seen);
  return [
    {
      id: 'trace.same-trace',
      ok: before !== undefined && before.traceId === after?.traceId,
      expected: before?.traceId ?? null,
      seen: after?.traceId ?? null,
      why: 'W3C Trace Context §3.4: a participant keeps the trace id.',
    },
    {
      id: 'trace.unchanged',
      ok: sent === seen,
      expected: sent,
      seen: seen ?? null,
      why: 'A proxy that takes part in the trace writes its own parent id; one that does not leaves the field alone.',
    },
  ];
}
