import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOptions, option, readOptions, UsageError } from './options.ts';

const table = {
  port: option.port('port', 10090, { description: 'where to listen' }),
  public: option.switch('public', { description: 'safe for an open network' }),
  dialect: option.choice('dialect', ['httpbin', 'go'], 'httpbin', { description: 'shape of answers' }),
  maxBody: option.bytes('limit-max-body', 1048576, { description: 'largest body' }),
  delay: option.duration('delay', 3000, { description: 'how long' }),
  hosts: option.list('hosts', { description: 'which hosts' }),
};

test('defaults hold, variables replace them, flags win over variables', () => {
  assert.equal(readOptions(table, [], {}).port, 10090);
  assert.equal(readOptions(table, [], { GATEHOUSE_PORT: '1' }).port, 1);
  assert.equal(readOptions(table, ['--port', '2'], { GATEHOUSE_PORT: '1' }).port, 2);
  assert.equal(readOptions(table, ['--port=3'], {}).port, 3);
  assert.equal(readOptions(table, [], { GATEHOUSE_PORT: '' }).port, 10090, 'an empty variable is none');
});

test('switches, sizes, durations and lists are read as people write them', () => {
  const values = readOptions(
    table,
    ['--public', '--limit-max-body', '64KiB', '--delay=2m', '--hosts', 'a.test, b.test'],
    { GATEHOUSE_DIALECT: 'go' },
  );
  assert.deepEqual(values, {
    port: 10090,
    public: true,
    dialect: 'go',
    maxBody: 65536,
    delay: 120_000,
    hosts: ['a.test', 'b.test'],
  });
  assert.equal(readOptions(table, [], { GATEHOUSE_PUBLIC: '0' }).public, false);
});

test('each mistake is refused with one line that names it', () => {
  const cases: Array<[argv: string[], environment: Record<string, string>, line: string]> = [
    [['--prot', '1'], {}, "unknown flag '--prot'"],
    [['--por', '1'], {}, "unknown flag '--por' (did you mean --port?)"],
    [['-p', '1'], {}, "unknown flag '-p' (did you mean --port?)"],
    [['--port'], {}, '--port needs a value <port>'],
    [['--port', 'x'], {}, "--port must be a whole number from 0 to 65535, not 'x'"],
    [['--port', '65536'], {}, "--port must be a whole number from 0 to 65535, not '65536'"],
    [['--port', '1', '--port', '2'], {}, '--port is given twice'],
    [['extra'], {}, "unexpected argument 'extra'"],
    [['--dialect', 'java'], {}, "--dialect must be one of httpbin, go, not 'java'"],
    [['--public=maybe'], {}, "--public must be true or false, not 'maybe'"],
    [[], { GATEHOUSE_DELAY: '-1' }, "GATEHOUSE_DELAY must be a duration such as 500ms, 30s or 5m, not '-1'"],
    [
      [],
      { GATEHOUSE_LIMIT_MAX_BODY: '1TB' },
      "GATEHOUSE_LIMIT_MAX_BODY must be a number of bytes such as 65536, 64KiB, 100MiB or 2GiB, not '1TB'",
    ],
  ];
  for (const [argv, environment, message] of cases) {
    assert.throws(() => readOptions(table, argv, environment), { constructor: UsageError, message });
  }
});

test('the help text names flag, default and variable', () => {
  const text = describeOptions(table);
  assert.match(
    text,
    /--limit-max-body <bytes> {2}largest body \(default 1MiB\) \[GATEHOUSE_LIMIT_MAX_BODY\]/,
  );
  assert.match(text, /--delay <time> +how long \(default 3s\)/);
  assert.match(text, /--public +safe for an open network \[GATEHOUSE_PUBLIC\]/);
});

test('all meanings of a help text begin in one column, also behind a flag that is too long for its own', () => {
  const choices = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'] as const;
  const level = option.choice('level', choices, 'one', { description: 'how much' });
  const lines = describeOptions({ ...table, level }).split('\n');
  const long = lines.indexOf('  --level <one|two|three|four|five|six|seven>');
  assert.match(lines[long + 1]!, /^ +how much \(default one\) \[GATEHOUSE_LEVEL\]$/);
  const columns = lines.toSpliced(long, 1).map((line) => line.search(/(?<=^.* {2})\S(?!.* {2})/));
  assert.equal(new Set(columns).size, 1, columns.join());
});
