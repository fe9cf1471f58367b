import { parseArgs } from 'node:util';

/** One setting of a command: a flag, its environment variable, its default and its rule. */
export interface Option<Value> {
  readonly flag: string;
  readonly variable: string;
  readonly description: string;
  readonly default: Value;
  /** How the value is written in the help text; undefined for a switch. */
  readonly placeholder: string | undefined;
  /** Returns undefined when the text breaks the rule. */
  readonly parse: (text: string) => Value | undefined;
  /** Completes the sentence "must be …". */
  readonly rule: string;
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer Value> ? Value : never;
};

/** A mistake of whoever typed the command; the command line prints it on one line and exits with 2. */
export class UsageError extends Error {}

/** Flags win over variables, variables over defaults. A variable that is empty is as good as none. */
export function readOptions<Table extends OptionTable>(
  table: Table,
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): OptionValues<Table> {
  const given = readFlags(table, argv);
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    const text = given.get(option.flag) ?? (environment[option.variable] || undefined);
    const source = given.has(option.flag) ? `--${option.flag}` : option.variable;
    values[name] = text === undefined ? option.default : parseOrRefuse(option, text, source);
  }
  return values as OptionValues<Table>;
}

function readFlags(table: OptionTable, argv: readonly string[]): Map<string, string> {
  const byFlag = new Map(Object.values(table).map((option) => [option.flag, option]));
  const { tokens } = parseArgs({ args: [...argv], strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string>();
  const words = tokens.filter((token) => token.kind !== 'option-terminator');
  for (let index = 0; index < words.length; index++) {
    const token = words[index]!;
    if (token.kind === 'positional') throw new UsageError(`unexpected argument '${token.value}'`);
    const option = token.rawName.startsWith('--') ? byFlag.get(token.name) : undefined;
    if (!option)
      throw new UsageError(`unknown flag '${token.rawName}'${suggestion(token.name, byFlag.keys())}`);
    if (given.has(option.flag)) throw new UsageError(`--${option.flag} is given twice`);
    if (token.value !== undefined) given.set(option.flag, token.value);
    else if (option.placeholder === undefined) given.set(option.flag, 'true');
    else {
      const next = words[++index];
      if (next?.kind !== 'positional')
        throw new UsageError(`--${option.flag} needs a value ${option.placeholder}`);
      given.set(option.flag, next.value);
    }
  }
  return given;
}

function parseOrRefuse(option: Option<unknown>, text: string, source: string): unknown {
  const value = option.parse(text);
  if (value === undefined) throw new UsageError(`${source} must be ${option.rule}, not '${text}'`);
  return value;
}

function suggestion(name: string, flags: Iterable<string>): string {
  const close = [...flags].find((flag) => flag.startsWith(name) || name.startsWith(flag));
  return close ? ` (did you mean --${close}?)` : '';
}

type Described = { readonly description: string };

/** `--some-flag` is read from `GATEHOUSE_SOME_FLAG` too. */
const named = (flag: string) => ({ flag, variable: `GATEHOUSE_${flag.toUpperCase().replaceAll('-', '_')}` });

export const option = {
  text(flag: string, fallback: string, { description }: Described): Option<string> {
    return {
      ...named(flag),
      description,
      default: fallback,
      placeholder: '<text>',
      rule: 'a text that is not empty',
      parse: (text) => (text === '' ? undefined : text),
    };
  },
  optionalText(flag: string, { description }: Described): Option<string | undefined> {
    return { ...option.text(flag, '', { description }), default: undefined };
  },
  /** A comma-separated list. */
  list(flag: string, { description }: Described): Option<readonly string[]> {
    return {
      ...named(flag),
      description,
      default: [],
      placeholder: '<a,b,…>',
      rule: 'a comma-separated list',
      parse: (text) =>
        text
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
    };
  },
  switch(flag: string, { description }: Described): Option<boolean> {
    return {
      ...named(flag),
      description,
      default: false,
      placeholder: undefined,
      rule: 'true or false',
      parse: (text) => ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()],
    };
  },
  choice<const Choice extends string>(
    flag: string,
    choices: readonly Choice[],
    fallback: NoInfer<Choice>,
    { description }: Described,
  ): Option<Choice> {
    return {
      ...named(flag),
      description,
      default: fallback,
      placeholder: `<${choices.join('|')}>`,
      rule: `one of ${choices.join(', ')}`,
      parse: (text) => choices.find((choice) => choice === text),
    };
  },
  integer(
    flag: string,
    fallback: number,
    { description, minimum, maximum }: Described & { minimum: number; maximum: number },
  ): Option<number> {
    return {
      ...named(flag),
      description,
      default: fallback,
      placeholder: '<n>',
      rule: `a whole number from ${minimum} to ${maximum}`,
      parse: (text) => {
        const value = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
        return value >= minimum && value <= maximum ? value : undefined;
      },
    };
  },
  /** 0 lets the system choose. */
  port(flag: string, fallback: number, { description }: Described): Option<number> {
    return {
      ...option.integer(flag, fallback, { description, minimum: 0, maximum: 65535 }),
      placeholder: '<port>',
    };
  },
  /** Bytes, with an optional suffix KiB, MiB or GiB. */
  bytes(flag: string, fallback: number, { description }: Described): Option<number> {
    return {
      ...named(flag),
      description,
      default: fallback,
      placeholder: '<bytes>',
      rule: 'a number of bytes such as 65536, 64KiB, 100MiB or 2GiB',
      parse: parseBytes,
    };
  },
  /** A duration in milliseconds, with an optional suffix ms, s or m. */
  duration(flag: string, fallbackMs: number, { description }: Described): Option<number> {
    return {
      ...named(flag),
      description,
      default: fallbackMs,
      placeholder: '<time>',
      rule: 'a duration such as 500ms, 30s or 5m',
      parse: parseDurationMs,
    };
  },
};

const BYTE_UNITS: Readonly<Record<string, number>> = { '': 1, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 };

function parseBytes(text: string): number | undefined {
  const match = /^(\d{1,12})\s*(KiB|MiB|GiB|)$/i.exec(text);
  return match ? Number(match[1]) * BYTE_UNITS[match[2]!.toLowerCase()]! : undefined;
}

const TIME_UNITS_MS: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1000, m: 60_000 };

function parseDurationMs(text: string): number | undefined {
  const match = /^(\d{1,9})\s*(ms|s|m|)$/.exec(text);
  return match ? Number(match[1]) * TIME_UNITS_MS[match[2]!]! : undefined;
}

/** One block of a help text: flag, meaning, default, variable; the flag for help itself comes last. */
export function describeOptions(table: OptionTable): string {
  const rows = Object.values(table).map((row) => [
    `--${row.flag}${row.placeholder === undefined ? '' : ` ${row.placeholder}`}`,
    `${row.description}${defaultText(row)} [${row.variable}]`,
  ]);
  rows.push(['--help, -h', 'this text']);
  const width = Math.max(...rows.map(([flag]) => flag!.length).filter((length) => length <= WIDEST_FLAG));
  return rows.map(([flag, meaning]) => `  ${inColumn(flag!, width)}  ${meaning}`).join('\n');
}

/** A flag with many choices gets a line of its own, so that it does not push all meanings to the right. */
const WIDEST_FLAG = 36;

function inColumn(flag: string, width: number): string {
  return flag.length <= width ? flag.padEnd(width) : `${flag}\n  ${' '.repeat(width)}`;
}

function defaultText(row: Option<unknown>): string {
  if (
    row.placeholder === undefined ||
    row.default === undefined ||
    row.default === '' ||
    (Array.isArray(row.default) && row.default.length === 0)
  )
    return '';
  return ` (default ${formatDefault(row)})`;
}

function formatDefault(row: Option<unknown>): string {
  if (typeof row.default !== 'number') return String(row.default);
  if (row.placeholder === '<bytes>') {
    const unit = (['GiB', 'MiB', 'KiB'] as const).find((name) => {
      const size = BYTE_UNITS[name.toLowerCase()]!;
      return (row.default as number) >= size && (row.default as number) % size === 0;
    });
    return unit ? `${row.default / BYTE_UNITS[unit.toLowerCase()]!}${unit}` : String(row.default);
  }
  if (row.placeholder === '<time>')
    return row.default % 1000 === 0 ? `${row.default / 1000}s` : `${row.default}ms`;
  return String(row.default);
}
