import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readOptions, UsageError } from '../../kernel/options.ts';
import { readConfiguration } from './configuration.ts';
import { planOf, queryOf } from './plan.ts';
import { indexCleanupOptions } from './settings.ts';

const base = { ES_HOST: '127.0.0.1:9200', ES_PROTO: 'http', INDEX: 'logs', FIELDS: 'fcrb' };
const time = '2026-01-31T23:59:59.999Z';

const configured = (variables: Record<string, string>, ...flags: string[]) =>
  readConfiguration(readOptions(indexCleanupOptions, flags, variables), variables);

describe('the settings of the index cleanup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cleanup-settings-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('have the names and defaults of the specification', () => {
    assert.deepEqual(configured(base), {
      url: 'http://127.0.0.1:9200',
      user: '',
      password: '',
      isInsecure: false,
      caFile: undefined,
      index: 'logs',
      operation: { kind: 'clean', mode: 'remove', fields: ['fcrb'] },
      scope: {},
      forcesMerge: true,
      isDryRun: false,
      isConfirmed: false,
      isAsync: false,
      slices: undefined,
      requestsPerSecond: undefined,
      batchSize: undefined,
      maxPasses: 5,
    });
    const all = configured({
      ES_HOST: '[::1]:9200',
      ES_PROTO: 'https',
      ES_USER: 'elastic',
      ES_PASS: 'secret',
      INDEX: '.ds-log-2026.01.01-000001',
      FIELDS: 'fcrb, tba,fcrb',
      FIELD_MODE: 'empty',
      DELETE_DOCS: 'false',
      START_TS: '2026-01-01T00:00:00.000Z',
      END_TS: time,
      PROXY_FIELD: 'api',
      PROXY_VALUE: 'p1',
      FORCE_MERGE: 'false',
      DRY_RUN: 'true',
      SKIP_CONFIRM: 'true',
    });
    const { url, user, password, isInsecure, operation, scope, forcesMerge, isDryRun, isConfirmed } = all;
    assert.deepEqual([url, user, password, isInsecure], ['https://[::1]:9200', 'elastic', 'secret', true]);
    assert.deepEqual(operation, { kind: 'clean', mode: 'empty', fields: ['fcrb', 'tba'] });
    assert.deepEqual(scope, {
      proxy: { field: 'api', value: 'p1' },
      period: { start: '2026-01-01T00:00:00.000Z', end: time },
    });
    assert.deepEqual([forcesMerge, isDryRun, isConfirmed], [false, true, true]);
  });

  it('come by flag too, and a flag wins', () => {
    const flags = [
      '--host',
      'es:1',
      '--proto',
      'http',
      '--index',
      'other',
      '--delete-docs',
      '--force-merge',
      'false',
    ];
    const { url, index, operation, forcesMerge } = configured({ ...base, FIELDS: '' }, ...flags);
    assert.deepEqual(
      [url, index, operation, forcesMerge],
      ['http://es:1', 'other', { kind: 'delete' }, false],
    );
  });

  it('that are empty count as not set', () => {
    const empty = {
      FIELD_MODE: '',
      DELETE_DOCS: '',
      START_TS: '',
      END_TS: '',
      PROXY_FIELD: '',
      PROXY_VALUE: '',
      FORCE_MERGE: '',
      DRY_RUN: '',
      SKIP_CONFIRM: '',
      ES_USER: '',
      ES_PASS: '',
    };
    assert.deepEqual(configured({ ...base, ...empty }), configured(base));
  });

  const wrong: Array<[what: string, variables: Record<string, string>, says: RegExp]> = [
    ['both operations', { DELETE_DOCS: 'true' }, /^FIELDS and DELETE_DOCS=true exclude each other/],
    ['no operation', { FIELDS: '' }, /^there is no operation/],
    ['fields without a name', { FIELDS: 'fcrb,,tcb' }, /^FIELDS must be a comma-separated list/],
    ['no host', { ES_HOST: '' }, /^ES_HOST \(--host\) is required/],
    ['a host without a port', { ES_HOST: 'localhost' }, /^ES_HOST must be host:port/],
    ['a host that is a URL', { ES_HOST: 'http://localhost:9200' }, /^ES_HOST must be host:port/],
    ['a host with a password', { ES_HOST: 'me:secret@localhost:9200' }, /^ES_HOST must be host:port/],
    ['a port that cannot be', { ES_HOST: 'localhost:70000' }, /^ES_HOST must be host:port/],
    ['no protocol', { ES_PROTO: '' }, /^ES_PROTO \(--proto\) is required/],
    ['another protocol', { ES_PROTO: 'ftp' }, /^ES_PROTO must be one of http, https/],
    ['a protocol in capitals', { ES_PROTO: 'HTTPS' }, /^ES_PROTO must be one of http, https/],
    ['no index', { INDEX: '' }, /^INDEX \(--index\) is required/],
    ['a pattern', { INDEX: 'logs-*' }, /^INDEX must be the name of one index/],
    ['a list', { INDEX: 'one,other' }, /^INDEX must be the name of one index/],
    ['every index', { INDEX: '_all' }, /^INDEX must be the name of one index/],
    ['an exclusion', { INDEX: '-logs' }, /^INDEX must be the name of one index/],
    ['date arithmetic', { INDEX: '<logs-{now/d}>' }, /^INDEX must be the name of one index/],
    ['a path', { INDEX: 'logs/_doc' }, /^INDEX must be the name of one index/],
    ['another mode', { FIELD_MODE: 'blank' }, /^FIELD_MODE must be one of remove, empty/],
    ['another proxy field', { PROXY_FIELD: 'name' }, /^PROXY_FIELD must be one of apn, api/],
    ['another truth', { DRY_RUN: 'yes' }, /^DRY_RUN must be true or false/],
    ['another truth of the merge', { FORCE_MERGE: 'no' }, /^FORCE_MERGE must be one of true, false/],
    ['a start alone', { START_TS: time }, /^START_TS and END_TS belong together/],
    ['an end alone', { END_TS: time }, /^START_TS and END_TS belong together/],
    [
      'a start after the end',
      { START_TS: time, END_TS: '2026-01-31T23:59:59.998Z' },
      /^START_TS must not lie after/,
    ],
    [
      'a day that is none',
      { START_TS: '2026-02-30T00:00:00.000Z', END_TS: time },
      /^START_TS must be a time/,
    ],
    [
      'an hour that is none',
      { START_TS: '2026-01-01T24:00:00.000Z', END_TS: time },
      /^START_TS must be a time/,
    ],
    ['no milliseconds', { START_TS: '2026-01-01T00:00:00Z', END_TS: time }, /^START_TS must be a time/],
    ['another zone', { START_TS: time, END_TS: '2026-02-01T00:00:00.000+03:00' }, /^END_TS must be a time/],
  ];
  for (const [what, variables, says] of wrong) {
    it(`with ${what} are refused`, () => {
      assert.throws(
        () => configured({ ...base, ...variables }),
        (error: Error) => error instanceof UsageError && says.test(error.message),
      );
    });
  }

  it('leave the password to be asked for, or take it from a file, never from a flag', () => {
    assert.equal(configured({ ...base, ES_USER: 'ada' }).password, undefined);
    const path = join(folder, 'password');
    writeFileSync(path, 'from a file\n');
    assert.equal(configured({ ...base, ES_USER: 'ada' }, '--pass-file', path).password, 'from a file');
    assert.equal(configured({ ...base, ES_PASS: 'unused' }).password, '');
    assert.throws(
      () => configured(base, '--pass', 'secret'),
      /unknown flag '--pass' \(did you mean --pass-file\?\)/,
    );
    assert.throws(
      () => configured({ ...base, ES_USER: 'ada' }, '--pass-file', `${path}-none`),
      /--pass-file cannot be read/,
    );
  });

  it('verify certificates with a CA file, and only over https', () => {
    const path = join(folder, 'ca.pem');
    writeFileSync(path, 'certificates');
    const { isInsecure, caFile } = configured({ ...base, ES_PROTO: 'https' }, '--ca-file', path);
    assert.deepEqual([isInsecure, caFile], [false, path]);
    assert.throws(() => configured(base, '--ca-file', path), /--ca-file is for ES_PROTO=https/);
  });
});

describe('the query', () => {
  it('is everything without filters, and one bool filter of a term and a range with them', () => {
    assert.deepEqual(queryOf({}), { match_all: {} });
    const proxy = { field: 'apn', value: 'orders' };
    const period = { start: '2026-01-01T00:00:00.000Z', end: time };
    const term = { term: { apn: 'orders' } };
    const range = { range: { '@timestamp': { gte: period.start, lte: period.end } } };
    assert.deepEqual(queryOf({ proxy }), { bool: { filter: [term] } });
    assert.deepEqual(queryOf({ period }), { bool: { filter: [range] } });
    assert.deepEqual(queryOf({ proxy, period }), { bool: { filter: [term, range] } });
  });

  it('and the work as a whole have a mark that is the same for the same work alone', () => {
    const mark = (variables: Record<string, string>) => planOf(configured({ ...base, ...variables })).mark;
    assert.equal(mark({}), mark({ SKIP_CONFIRM: 'true' }));
    const others = [
      { INDEX: 'other' },
      { FIELDS: 'tcb' },
      { FIELD_MODE: 'empty' },
      { PROXY_VALUE: 'x' },
      { FIELDS: '', DELETE_DOCS: 'true' },
    ];
    assert.equal(new Set([{}, ...others].map(mark)).size, 6);
  });
});
