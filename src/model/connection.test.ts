// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of addresses are written so.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileCheck } from '../kernel/catalogue/schema-check.ts';
import {
  completeParameters,
  effectiveParameters,
  type ParameterSet,
  parameterDefaults,
  parameterNames,
} from './connection.ts';
import { connectionInput } from './connection-document.ts';
import { brokenParameterRule, canDeliverLogs } from './connection-rules.ts';
import { defaultSettings } from './settings-category.ts';

const breakerDefaults = defaultSettings('connector-circuit-breaker');
const mandatory = {
  environmentName: 'Development',
  httpMethod: 'POST',
  fullUrl: 'https://crm.example/events',
} as const;
const set = (given: Partial<ParameterSet> = {}): ParameterSet =>
  completeParameters({ httpMethod: mandatory.httpMethod, fullUrl: mandatory.fullUrl, ...given });
const check = await compileCheck(connectionInput);
const brokenBy = (members: object) => check({ ...mandatory, ...members })?.rule;

type Row = [
  member: keyof ParameterSet,
  fallback: unknown,
  taken: readonly unknown[],
  refused: readonly unknown[],
];

/** Spec 2 §2.3, row by row: what a member is when it is left out, what it takes and what it refuses. */
const rows: readonly Row[] = [
  [
    'headerList',
    [],
    [[{ name: 'a', value: 'b' }]],
    [null, {}, [{ name: 'a' }], [{ name: 'a', value: 'b', x: 1 }]],
  ],
  ['timeout', 2, [1, 2, 86_400], [0, -1, 1.5, '2', null, '']],
  ['connectTimeoutSeconds', 2, [1, 60, null, ''], [0, -1, 1.5, '2', true]],
  ['responseTimeoutSeconds', 2, [1, 60, null, ''], [0, -1, 1.5, '2', true]],
  ['connectionRequestTimeoutSeconds', 2, [1, 60, null, ''], [0, -1, 1.5, '2', true]],
  ['socketTimeoutSeconds', 2, [1, 60, null, ''], [0, -1, 1.5, '2', true]],
  ['writeStallTimeoutSeconds', 30, [1, 30, 0, -1, null, ''], [1.5, '30', true]],
  ['connectionPoolMaxConnectionPerHost', 24, [1, 24, 10_000], [0, -1, 10_001, '24', null]],
  ['connectionPoolMaxConnectionTotal', 48, [1, 48, 10_000], [0, -1, 10_001, '48', null]],
  ['trustStoreName', null, ['partners', null, ''], [1, true]],
  ['keyStoreName', null, ['ours', null, ''], [1, true]],
  ['verifyHostname', false, [true, false], ['true', 1, null]],
  [
    'tlsVersionList',
    ['TLSv1.2', 'TLSv1.3'],
    [['TLSv1.2'], ['TLSv1.3'], ['TLSv1.3', 'TLSv1.2']],
    [[], ['SSLv3'], ['TLSv1'], ['TLSv1.1'], ['TLSv1.2', 'TLSv1.2'], 'TLSv1.2', null],
  ],
  ['batchEnabled', false, [true, false], ['true', null]],
  ['batchMaxEvents', 100, [1, 1000], [0, -1, 1.5, null]],
  ['batchMaxBytes', 1_048_576, [1, 2_000_000], [0, -1, '1 MB', null]],
  ['batchMaxDelayMs', 200, [0, 1, 60_000], [-1, 1.5, null]],
  ['batchBufferMemoryBytes', 33_554_432, [1, 2 ** 30], [0, -1, '32 MB', null]],
  ['gzipEnabled', false, [true, false], ['true', null]],
  ['producerThrottleMs', 100, [0, 2000], [-1, 2001, null]],
  ['maxRetryCount', 1, [0, 5], [-1, 101, null]],
  ['retryBackoffMs', 200, [0, 1000], [-1, null]],
  ['maxRetryAfterSeconds', 5, [0, 60], [-1, null]],
  ['retryNonIdempotent', false, [true, false], ['true', null]],
  ['eventCollectorEnabled', false, [true, false], ['true', null]],
  ['eventCollectorIndex', '', ['main', ''], [1, null]],
  ['eventCollectorSourcetype', '', ['_json', ''], [1, null]],
  ['eventCollectorSource', '', ['gateway', ''], [1, null]],
  ['eventCollectorHost', '', ['pod-1', ''], [1, null]],
  ['useAck', false, [true, false], ['true', null]],
  ['ackTimeoutSeconds', 30, [1, 300], [0, -1, null]],
  ['maxAckResend', 2, [0, 10], [-1, null]],
  ['circuitBreakerEnabled', null, [true, false, null, ''], ['true', 1]],
  ['errorThresholdValue', null, [1, 5, 10_000, null, ''], [0, 10_001, '5']],
  ['sleepWindow', null, [1, 30, 3600, null, ''], [0, 3601, '30']],
];

describe('each parameter of a webhook connection', () => {
  test('stands in the table below', () => {
    const named = new Set([...rows.map(([member]) => member), 'httpMethod', 'fullUrl']);
    assert.deepEqual([...named].sort(), [...parameterNames].sort());
  });

  for (const [member, fallback, taken, refused] of rows) {
    test(`${member} has its default, its bounds and its rule`, () => {
      const filled: Record<string, unknown> = { ...mandatory };
      assert.equal(check(filled), undefined);
      assert.deepEqual(filled[member], fallback);
      assert.deepEqual(parameterDefaults()[member as keyof ReturnType<typeof parameterDefaults>], fallback);
      for (const value of taken)
        assert.equal(brokenBy({ [member]: value }), undefined, JSON.stringify(value));
      for (const value of refused)
        assert.match(
          brokenBy({ [member]: value }) ?? 'taken',
          new RegExp(`^at /${member}`),
          JSON.stringify(value),
        );
    });
  }

  test('httpMethod is required and one of eight', () => {
    for (const httpMethod of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE'])
      assert.equal(brokenBy({ httpMethod }), undefined);
    for (const httpMethod of ['CONNECT', 'post', '', null])
      assert.match(brokenBy({ httpMethod }) ?? 'taken', /^at \/httpMethod/);
    const { httpMethod: _, ...without } = mandatory;
    assert.match(check(without)?.rule ?? 'taken', /required property 'httpMethod'/);
  });

  test('fullUrl is required', () => {
    const { fullUrl: _, ...without } = mandatory;
    assert.match(check(without)?.rule ?? 'taken', /required property 'fullUrl'/);
    for (const fullUrl of ['', null, 1]) assert.match(brokenBy({ fullUrl }) ?? 'taken', /^at \/fullUrl/);
  });

  test('a description has at most 1000 characters, and enabled is true unless said', () => {
    assert.equal(brokenBy({ description: 'x'.repeat(1000) }), undefined);
    assert.match(brokenBy({ description: 'x'.repeat(1001) }) ?? 'taken', /^at \/description/);
    const filled: Record<string, unknown> = { ...mandatory };
    check(filled);
    assert.equal(filled.enabled, true);
  });

  test('a member that nobody knows is refused', () => {
    assert.equal(brokenBy({ connectTimeout: 1 }), 'must not have the member connectTimeout');
  });
});

describe('what is left empty', () => {
  const phases = [
    'connectTimeoutSeconds',
    'responseTimeoutSeconds',
    'connectionRequestTimeoutSeconds',
    'socketTimeoutSeconds',
  ] as const;
  for (const member of phases) {
    test(`${member} falls back to timeout when empty, not when left out`, () => {
      assert.equal(effectiveParameters(set({ timeout: 9 }), breakerDefaults)[member], 2);
      assert.equal(effectiveParameters(set({ timeout: 9, [member]: null }), breakerDefaults)[member], 9);
      const form = completeParameters({ ...mandatory, timeout: 9, [member]: '' });
      assert.equal(form[member], null);
      assert.equal(effectiveParameters(form, breakerDefaults)[member], 9);
      assert.equal(effectiveParameters(set({ timeout: 9, [member]: 4 }), breakerDefaults)[member], 4);
    });
  }

  for (const [given, effective] of [
    [30, 30],
    [1, 1],
    [0, 0],
    [-5, 0],
    [null, 30],
  ] as const) {
    test(`a write stall timeout of ${given} is ${effective} at run time, whatever timeout says`, () => {
      const parameters = set({ timeout: 9, writeStallTimeoutSeconds: given });
      assert.equal(effectiveParameters(parameters, breakerDefaults).writeStallTimeoutSeconds, effective);
    });
  }

  test('empty circuit breaker fields take the default of the installation, each by itself', () => {
    const installation = {
      enabled: true,
      errorWindow: 60,
      errorThresholdValue: 7,
      sleepWindow: 90,
      halfOpenEnabled: false,
    };
    const { circuitBreakerEnabled, errorThresholdValue, sleepWindow, errorWindow, halfOpenEnabled } =
      effectiveParameters(set({ sleepWindow: 3 }), installation);
    assert.deepEqual(
      [circuitBreakerEnabled, errorThresholdValue, sleepWindow, errorWindow, halfOpenEnabled],
      [true, 7, 3, 60, false],
    );
    assert.equal(
      effectiveParameters(set({ circuitBreakerEnabled: false }), installation).circuitBreakerEnabled,
      false,
    );
  });

  test('nothing set: the circuit breaker is off, with 5 failures and 30 seconds', () => {
    const { circuitBreakerEnabled, errorThresholdValue, sleepWindow } = effectiveParameters(
      set(),
      breakerDefaults,
    );
    assert.deepEqual([circuitBreakerEnabled, errorThresholdValue, sleepWindow], [false, 5, 30]);
  });
});

for (const [perHost, total, effective, isRaised] of [
  [24, 48, 48, false],
  [24, 24, 24, false],
  [24, 10, 24, true],
] as const) {
  test(`a pool of ${perHost} a host and ${total} in all has ${effective} at run time`, () => {
    const parameters = set({
      connectionPoolMaxConnectionPerHost: perHost,
      connectionPoolMaxConnectionTotal: total,
    });
    const { connectionPoolMaxConnectionTotal, isPoolTotalRaised } = effectiveParameters(
      parameters,
      breakerDefaults,
    );
    assert.deepEqual([connectionPoolMaxConnectionTotal, isPoolTotalRaised], [effective, isRaised]);
  });
}

test('a document of an older release keeps its values; what came later is off', () => {
  const older = { httpMethod: 'PUT', fullUrl: 'https://a.example/', timeout: 7, maxRetryCount: 3 } as const;
  const read = completeParameters(older);
  assert.deepEqual(read, { ...parameterDefaults(), ...older });
  const switches = Object.entries(read).filter(([, value]) => typeof value === 'boolean');
  assert.ok(switches.length >= 6);
  for (const [name, value] of switches) assert.equal(value, false, name);
  assert.equal(effectiveParameters(older as unknown as ParameterSet, breakerDefaults).timeout, 7);
});

test('only methods that carry a body can deliver logs', () => {
  const able = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE'].filter((httpMethod) =>
    canDeliverLogs({ httpMethod: httpMethod as ParameterSet['httpMethod'] }),
  );
  assert.deepEqual(able, ['POST', 'PUT', 'PATCH']);
});

describe('header rows', () => {
  const rule = (headerList: ParameterSet['headerList'], more: Partial<ParameterSet> = {}) =>
    brokenParameterRule(set({ headerList, ...more }));

  test('that are filled may be saved, as many as wanted', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ name: `X-Row-${index}`, value: `${index}` }));
    assert.equal(rule(many), undefined);
    assert.equal(rule([{ name: 'X-Umlaut', value: 'grün' }]), undefined);
    assert.equal(rule([{ name: 'Content-Encoding', value: 'br' }]), undefined);
  });

  const refused: Array<[what: string, name: string, value: string, rule: RegExp]> = [
    ['without a name', '', 'x', /name and value must both be filled/],
    ['without a value', 'X-A', '', /name and value must both be filled/],
    ['with a blank value', 'X-A', '  ', /name and value must both be filled/],
    ['with a blank name', ' ', 'x', /name and value must both be filled/],
    ['with a space in its name', 'X A', 'x', /is not one of a header field/],
    ['with a colon in its name', 'X:A', 'x', /is not one of a header field/],
    ['with a line break in its name', 'X\r\nB', 'x', /is not one of a header field/],
    ['with a line break in its value', 'X-A', 'x\r\nX-B: y', /characters that a header field can not carry/],
    ['with a bare line feed', 'X-A', 'x\ny', /can not carry/],
    ['with a NUL', 'X-A', 'x\0y', /can not carry/],
    ['beyond Latin-1', 'X-A', 'Ā', /can not carry/],
    ['what Latin-1 would cut down to a line break', 'X-A', '\u010d\u010a', /can not carry/],
    ...[
      'Host',
      'content-length',
      'Transfer-Encoding',
      'Connection',
      'Upgrade',
      'Expect',
      'TE',
      'Trailer',
      'Keep-Alive',
      'Proxy-Authorization',
      'proxy-connection',
    ].map((name): [string, string, string, RegExp] => [
      `of the reserved name ${name}`,
      name,
      'x',
      /set by the platform/,
    ]),
  ];
  for (const [what, name, value, expected] of refused) {
    test(`${what} block saving`, () => {
      const broken = rule([
        { name: 'X-Good', value: 'y' },
        { name, value },
      ]);
      assert.equal(broken?.pointer, '/headerList/1');
      assert.match(broken.rule, expected);
    });
  }

  test('that name a field twice block saving, whatever the casing', () => {
    const twice = [
      { name: 'X-A', value: '1' },
      { name: 'x-a', value: '2' },
    ];
    assert.deepEqual(rule(twice), { pointer: '/headerList/1', rule: 'x-a stands in more than one row' });
  });

  test('may not set Content-Encoding while compression is on', () => {
    const row = [{ name: 'Content-Encoding', value: 'br' }];
    assert.match(rule(row, { gzipEnabled: true })?.rule ?? '', /while compression is on/);
  });
});

describe('the address', () => {
  const taken = [
    'https://crm.example/events',
    'http://10.0.0.7:8088/services/collector?x=1&y=2',
    'HTTPS://crm.example',
    'https://[2001:db8::1]:8443/a',
    'https://${host}/events',
    'https://${host}:${port}/${path.of-events}?id=${id}',
    'https://a.${domain}/',
    'https://crm.example/grün',
  ];
  for (const fullUrl of taken)
    test(`${fullUrl} may be saved`, () => assert.equal(brokenParameterRule(set({ fullUrl })), undefined));

  const refused: Array<[fullUrl: string, rule: RegExp]> = [
    ['ftp://crm.example/', /must begin with http/],
    ['crm.example/events', /must begin with http/],
    ['${base}/events', /must begin with http/],
    ['javascript:alert(1)', /must begin with http/],
    ['https://user:secret@crm.example/', /user name or password/],
    ['https://user@crm.example/', /user name or password/],
    ['https://crm.example/a b', /spaces/],
    ['https://crm.example/\r\nX: y', /spaces/],
    ['https:\\\\crm.example\\', /backslashes/],
    ['https://crm.example/#part', /fragment/],
    ['https://${}/', /placeholder/],
    ['https://${1st}/', /placeholder/],
    ['https://crm.example/${open', /placeholder/],
    ['https:///events', /names no host/],
    ['https://?x=1', /names no host/],
    ['https://crm.example:99999/', /not a valid address/],
    ['https://[::1/', /not a valid address/],
  ];
  for (const [fullUrl, expected] of refused) {
    test(`${JSON.stringify(fullUrl)} is refused`, () => {
      const broken = brokenParameterRule(set({ fullUrl }));
      assert.equal(broken?.pointer, '/fullUrl');
      assert.match(broken.rule, expected);
    });
  }
});
