/** The span of time that a date text names: one millisecond for a full one, a whole day for a day. */
export interface TimeSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

// strict_date_optional_time of Elasticsearch: each part needs the one before it, and each has its full number of digits.
const DATE =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(?:(\d{2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/;
const EPOCH_MILLIS = /^-?\d{1,18}$/;

const UNITS_MS = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1000 } as const;

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
  if (monthNo < 1 || monthNo > 12 || dayNo < 1 || dayNo > daysOf(yearNo, monthNo)) return undefined;
  if (Number(hour ?? 0) > 23 || Number(minute ?? 0) > 59 || Number(second ?? 0) > 59) return undefined;
  const time =
    Number(hour ?? 0) * UNITS_MS.hour +
    Number(minute ?? 0) * UNITS_MS.minute +
    Number(second ?? 0) * UNITS_MS.second +
    Number((fraction ?? '').slice(0, 3).padEnd(3, '0'));
  const firstMs = midnightOf(yearNo, monthNo, dayNo) + time - offsetMs(offset);
  return { firstMs, lastMs: firstMs + lengthMs(yearNo, monthNo, parts) - 1 };
}

function lengthMs(
  yearNo: number,
  monthNo: number,
  [, month, day, hour, minute, second, fraction]: Array<string | undefined>,
): number {
  if (fraction !== undefined) return 1;
  if (second !== undefined) return UNITS_MS.second;
  if (minute !== undefined) return UNITS_MS.minute;
  if (hour !== undefined) return UNITS_MS.hour;
  if (day !== undefined) return UNITS_MS.day;
  if (month !== undefined) return daysOf(yearNo, monthNo) * UNITS_MS.day;
  return midnightOf(yearNo + 1, 1, 1) - midnightOf(yearNo, 1, 1);
}

function daysOf(yearNo: number, monthNo: number): number {
  if (monthNo === 2) return (yearNo % 4 === 0 && yearNo % 100 !== 0) || yearNo % 400 === 0 ? 29 : 28;
  return monthNo === 4 || monthNo === 6 || monthNo === 9 || monthNo === 11 ? 30 : 31;
}

function midnightOf(yearNo: number, monthNo: number, dayNo: number): number {
  // Date.UTC takes the years 0 to 99 for those of the last century.
  return yearNo >= 100
    ? Date.UTC(yearNo, monthNo - 1, dayNo)
    : new Date(0).setUTCFullYear(yearNo, monthNo - 1, dayNo);
}

function offsetMs(offset: string | undefined): number {
  if (offset === undefined || offset === 'Z') return 0;
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  const ms = Number(digits.slice(0, 2)) * UNITS_MS.hour + Number(digits.slice(2)) * UNITS_MS.minute;
  return offset.startsWith('-') ? -ms : ms;
}
