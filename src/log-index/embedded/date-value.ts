/** The span of time that a date text names: one millisecond for a full one, a whole day for a day. */
export interface TimeSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

// strict_date_optional_time of Elasticsearch: each part needs the one before it, and each has its full number of digits.
const DATE =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(?:(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/;
const EPOCH_MILLIS = /^-?\d{1,18}$/;

const UNITS_MS = { hour: 3_600_000, minute: 60_000, second: 1000 } as const;

/** By `strict_date_optional_time||epoch_millis`; undefined for anything else. Without an offset it is UTC. */
export function timeSpanOf(value: unknown): TimeSpan | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? moment(Math.trunc(value)) : undefined;
  if (typeof value !== 'string') return undefined;
  const match = DATE.exec(value);
  if (match) return spanOf(match);
  return EPOCH_MILLIS.test(value) ? moment(Number(value)) : undefined;
}

function moment(ms: number): TimeSpan {
  return { firstMs: ms, lastMs: ms };
}

function spanOf([, ...parts]: RegExpExecArray): TimeSpan | undefined {
  const [year, month, day, hour, minute, second, fraction, offset] = parts;
  const [yearNo, monthNo, dayNo] = [Number(year), Number(month ?? 1), Number(day ?? 1)];
  const midnight = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for those of the last century.
  midnight.setUTCFullYear(yearNo, monthNo - 1, dayNo);
  if (midnight.getUTCMonth() !== monthNo - 1 || midnight.getUTCDate() !== dayNo) return undefined;
  if (Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59) return undefined;
  const time =
    Number(hour ?? 0) * UNITS_MS.hour +
    Number(minute ?? 0) * UNITS_MS.minute +
    Number(second ?? 0) * UNITS_MS.second +
    Number((fraction ?? '').slice(0, 3).padEnd(3, '0'));
  const firstMs = midnight.getTime() + time - offsetMs(offset);
  return { firstMs, lastMs: firstMs + lengthMs(midnight, parts) - 1 };
}

function lengthMs(midnight: Date, [, month, day, hour, minute, second, fraction]: Array<string | undefined>) {
  if (fraction !== undefined) return 1;
  if (second !== undefined) return UNITS_MS.second;
  if (minute !== undefined) return UNITS_MS.minute;
  if (hour !== undefined) return UNITS_MS.hour;
  const next = new Date(midnight);
  if (day !== undefined) next.setUTCDate(next.getUTCDate() + 1);
  else if (month !== undefined) next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCFullYear(next.getUTCFullYear() + 1);
  return next.getTime() - midnight.getTime();
}

function offsetMs(offset: string | undefined): number {
  if (offset === undefined || offset === 'Z') return 0;
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  const ms = Number(digits.slice(0, 2)) * UNITS_MS.hour + Number(digits.slice(2)) * UNITS_MS.minute;
  return offset.startsWith('-') ? -ms : ms;
}
