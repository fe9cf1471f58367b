/** RFC 9110 §5.6.7: the fixed form, and the two obsolete ones that must still be read. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]+day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Milliseconds since the epoch, or undefined when it is no HTTP-date. */
export function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const pattern of HTTP_DATES) {
    const parts = pattern.exec(text)?.groups;
    if (!parts) continue;
    const month = MONTHS.indexOf(parts.month!);
    const [hour, minute, second] = parts.time!.split(':').map(Number) as [number, number, number];
    if (month < 0 || hour > 23 || minute > 59 || second > 60) return undefined;
    const year = parts.year!.length === 4 ? Number(parts.year) : fullYear(Number(parts.year), nowMs);
    const ms = Date.UTC(year, month, Number(parts.day), hour, minute, second);
    return new Date(ms).getUTCMonth() === month ? ms : undefined;
  }
  return undefined;
}

/** A year of two digits that seems more than 50 years ahead is the last one that ended so (RFC 9110 §5.6.7). */
function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

/**
 * How long a server asks to wait, in milliseconds (RFC 9110 §10.2.3); undefined when it does not say or says it
 * wrongly. A date is compared with the server's own clock where the answer shows it.
 */
export function retryAfterMs(
  values: readonly string[],
  serverDate: string | undefined,
  nowMs: number,
): number | undefined {
  // Two of them contradict each other: neither is believed.
  if (values.length !== 1) return undefined;
  const value = values[0]!.trim();
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const dateMs = parseHttpDate(value, nowMs);
  if (dateMs === undefined) return undefined;
  const serverNowMs = serverDate === undefined ? undefined : parseHttpDate(serverDate.trim(), nowMs);
  return Math.max(0, dateMs - (serverNowMs ?? nowMs));
}
