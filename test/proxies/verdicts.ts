import type { RawExchange } from '../../src/kernel/testing/raw-client.ts';
import type { Check } from '../../src/testbed/verdict/check.ts';
import { changed, type ProxyCheck, unchanged, type Verdict } from './proxy-check.ts';

type Judge = ProxyCheck['verdict'];

export function jsonOf(answer: RawExchange | undefined): Record<string, unknown> {
  const text = answer?.body.toString('utf8') ?? '';
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`the test service was expected to answer in JSON, not: ${text.slice(0, 200)}`, {
      cause: error,
    });
  }
}

/** Unchanged when nothing stands against it. */
export function unlessChanged(changes: readonly string[]): Verdict {
  return changes.length === 0 ? unchanged() : changed(changes.join('; '));
}

/** The first verdict that is not `unchanged`. */
export const all =
  (...judges: readonly Judge[]): Judge =>
  (sight) =>
    judges.map((judge) => judge(sight)).find(({ kind }) => kind !== 'unchanged') ?? unchanged();

/** What `/proxy-test/verdict` says of its checks of these names. */
export const judged =
  (names: readonly string[], howOf: (check: Check) => string = ({ why }) => why): Judge =>
  ({ answer }) => {
    const checks = (jsonOf(answer).checks ?? []) as Check[];
    const asked = checks.filter(({ id }) => names.some((name) => id === name || id.startsWith(`${name}.`)));
    if (asked.length === 0) throw new Error(`the test service judged nothing of ${names.join(', ')}`);
    return unlessChanged([...new Set(asked.filter(({ ok }) => !ok).map(howOf))]);
  };

/** A member of the JSON answer, compared with the one that comes without a proxy. */
export const sameMember =
  (name: string, howOf: (seen: unknown) => string): Judge =>
  ({ answer, direct }) => {
    const seen = jsonOf(answer)[name];
    return JSON.stringify(seen) === JSON.stringify(jsonOf(direct)[name]) ? unchanged() : changed(howOf(seen));
  };

export function linesOf({ headers }: RawExchange, name: string): string[] {
  return headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}

/** Fields of the answer, line by line. */
export const sameFields =
  (...names: readonly string[]): Judge =>
  ({ answer, direct }) => {
    const changes = names.flatMap((name) => {
      const [sent, seen] = [linesOf(direct, name), linesOf(answer, name)];
      return fieldChange(name, sent, seen) ?? [];
    });
    return unlessChanged(changes);
  };

function fieldChange(name: string, sent: readonly string[], seen: readonly string[]): string | undefined {
  if (sent.length === seen.length && sent.every((value, index) => value === seen[index])) return undefined;
  if (seen.length === 0) return `${name} lost`;
  if (sent.length === 0) return `${name} added`;
  if (membersOf(sent) === membersOf(seen)) return `${name} joined`;
  if (seen.length < sent.length && seen.every((value) => sent.includes(value)))
    return `${name}: ${seen.length} of ${sent.length} lines`;
  return `${name} changed`;
}

/** Lines of a list may be joined with or without a space behind the comma. */
const membersOf = (lines: readonly string[]) => lines.join(',').replace(/\s*,\s*/g, ',');

export const sameStatus: Judge = ({ answer, direct }) =>
  answer.status === direct.status ? unchanged() : changed(`status ${answer.status}`);

export const sameBody: Judge = ({ answer, direct }) => {
  if (!answer.isComplete && direct.isComplete) return changed('cut off');
  return answer.body.equals(direct.body) ? unchanged() : changed('other bytes');
};

/** The same answer in the eyes of its reader: status, these fields and content. */
export const sameAnswer = (...names: readonly string[]): Judge =>
  all(sameStatus, sameFields(...names), sameBody);

/** How content is delimited on the way to the client. */
export function framingOf(answer: RawExchange): string {
  if (answer.header('transfer-encoding') !== undefined) return answer.header('transfer-encoding')!;
  return answer.header('content-length') === undefined ? 'until close' : 'length';
}
