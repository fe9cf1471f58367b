import { type Option, type OptionValues, option } from '../../kernel/options.ts';

/** A setting under the name by which operators know it (spec 2 §4.6). An empty value is as good as none. */
function named<Value>(variable: string, base: Option<Value>): Option<Value> {
  return { ...base, variable, parse: (text) => (text === '' ? base.default : base.parse(text)) };
}

/** Empty unless given. */
function text(flag: string, description: string, placeholder: string): Option<string> {
  return { ...option.text(flag, '', { description }), placeholder };
}

/** One of the choices, or empty where none was made. */
function choice<const Choice extends string>(
  flag: string,
  choices: readonly Choice[],
  description: string,
): Option<Choice | ''> {
  const base = option.choice(flag, choices, choices[0] as NoInfer<Choice>, { description });
  return { ...base, default: '' };
}

const trueOrFalse = (flag: string, description: string) =>
  named(flag.toUpperCase().replaceAll('-', '_'), {
    ...option.switch(flag, { description }),
    rule: 'true or false',
  });

const slices: Option<number | 'auto' | undefined> = {
  ...option.integer('slices', 1, {
    description: 'how many parts run beside each other; auto is one for each shard',
    minimum: 1,
    maximum: 1000,
  }),
  default: undefined,
  placeholder: '<n|auto>',
  rule: 'auto or a whole number from 1 to 1000',
  parse: (text) => (text === 'auto' ? text : wholeNumber(text, 1000)),
};

const requestsPerSecond: Option<number | undefined> = {
  ...option.integer('requests-per-second', 1, {
    description: 'most documents a second; without it as fast as the index can',
    minimum: 1,
    maximum: 1_000_000,
  }),
  default: undefined,
  parse: (text) => wholeNumber(text, 1_000_000),
};

const batchSize: Option<number | undefined> = {
  ...option.integer('batch-size', 1, {
    description: 'documents the index takes at a time; its own default is 1000',
    minimum: 1,
    maximum: 10_000,
  }),
  default: undefined,
  parse: (text) => wholeNumber(text, 10_000),
};

function wholeNumber(text: string, most: number): number | undefined {
  const number = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : Number.NaN;
  return number <= most ? number : undefined;
}

/** The table of spec 2 §4.6, and what the tool can do beyond it. */
export const indexCleanupOptions = {
  host: named('ES_HOST', text('host', 'where the index engine answers; required', '<host:port>')),
  proto: named(
    'ES_PROTO',
    choice(
      'proto',
      ['http', 'https'],
      'how it is spoken to; required. https takes any certificate unless --ca-file is given',
    ),
  ),
  user: named('ES_USER', text('user', 'who we are; empty where security is off', '<name>')),
  passFile: {
    ...text('pass-file', 'file with the password: it is no flag, because everybody could read it', '<path>'),
    variable: 'GATEHOUSE_PASS_FILE',
  },
  index: named(
    'INDEX',
    text('index', 'one index; of a data stream a backing index .ds-…; required', '<name>'),
  ),
  fields: named('FIELDS', text('fields', 'source keys to clean, exactly as they are written', '<a,b,…>')),
  fieldMode: named(
    'FIELD_MODE',
    option.choice('field-mode', ['remove', 'empty'], 'remove', {
      description: 'remove the keys, or make their values empty',
    }),
  ),
  deleteDocs: trueOrFalse('delete-docs', 'delete the documents instead of cleaning fields'),
  startTs: named('START_TS', text('start-ts', "documents from then, yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", '<time>')),
  endTs: named('END_TS', text('end-ts', 'and until then, inclusive; both or neither', '<time>')),
  proxyField: named(
    'PROXY_FIELD',
    option.choice('proxy-field', ['apn', 'api'], 'apn', { description: 'what PROXY_VALUE is compared with' }),
  ),
  proxyValue: named('PROXY_VALUE', text('proxy-value', 'only documents of this API proxy', '<text>')),
  forceMerge: named(
    'FORCE_MERGE',
    option.choice('force-merge', ['true', 'false'], 'true', {
      description: 'give the space of what was deleted back afterwards',
    }),
  ),
  dryRun: trueOrFalse('dry-run', 'change nothing: print the query, the script and the calls'),
  skipConfirm: trueOrFalse('skip-confirm', 'do not ask'),
  caFile: text('ca-file', 'certificates to trust (PEM): https then verifies who answers', '<path>'),
  async: option.switch('async', {
    description: 'run as a task of the index and ask for its result, for runs of hours behind proxies',
  }),
  slices,
  requestsPerSecond,
  batchSize,
  maxPasses: option.integer('max-passes', 5, {
    description: 'how often it runs at most until no version conflicts are left',
    minimum: 1,
    maximum: 100,
  }),
  proxyKeyword: option.switch('proxy-keyword', {
    description: 'compare with <PROXY_FIELD>.keyword, where the field itself is analysed text',
  }),
  json: option.switch('json', { description: 'one JSON object on standard output at the end' }),
};

export type IndexCleanupSettings = OptionValues<typeof indexCleanupOptions>;
