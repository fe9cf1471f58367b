import type { Example } from '../../../kernel/catalogue/endpoint.ts';
import { type CorsScenario, corsFieldNames } from './cors-answer.ts';

export interface DocumentedScenario extends CorsScenario {
  readonly spec?: string;
  readonly summary: string;
  readonly examples: readonly Example[];
}

export const APP = 'https://app.example.test';

const echoOrigin = (origin: string | undefined) => origin;
const askPreflight = (method: string, ...headers: string[]) => [
  ...['Origin', APP, 'Access-Control-Request-Method', method],
  ...headers.flatMap((names) => ['Access-Control-Request-Headers', names]),
];

const preflight: DocumentedScenario = {
  name: 'preflight',
  spec: '1 §4.1',
  summary: 'A GET that needs a preflight; the preflight is granted what it asks for.',
  why: "The preflight is the backend's to answer: a proxy neither answers it by itself nor widens the grant.",
  policy: { allowOrigin: echoOrigin, variesByOrigin: true },
  examples: [
    {
      name: 'granted is what was asked, nothing else',
      method: 'OPTIONS',
      headers: askPreflight('GET', 'x-token'),
      expect: {
        status: 200,
        headers: {
          allow: 'GET, HEAD, OPTIONS',
          'access-control-allow-origin': APP,
          'access-control-allow-methods': 'GET',
          'access-control-allow-headers': 'x-token',
          'access-control-allow-credentials': null,
          'access-control-max-age': '600',
          vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
        },
        json: { preflight: { method: 'GET', headers: 'x-token' } },
      },
    },
    {
      name: 'no fields asked, none granted',
      method: 'OPTIONS',
      headers: askPreflight('PUT'),
      expect: {
        status: 200,
        headers: { 'access-control-allow-methods': 'PUT', 'access-control-allow-headers': null },
      },
    },
    {
      name: 'the request itself',
      headers: ['Origin', APP],
      expect: {
        status: 200,
        headers: { 'access-control-allow-origin': APP, 'access-control-allow-methods': null, vary: 'Origin' },
        json: { preflight: null, mustBeUnchanged: { 'Access-Control-Allow-Origin': APP, Vary: 'Origin' } },
      },
    },
    {
      name: 'without an Origin there is no CORS',
      expect: { status: 200, headers: { 'access-control-allow-origin': null }, json: { origin: null } },
    },
  ],
};

const preflightPost: DocumentedScenario = {
  name: 'preflight-post',
  spec: '1 §4.1',
  method: 'POST',
  summary: 'A POST that needs a preflight, as every JSON body does.',
  why: preflight.why,
  policy: preflight.policy,
  examples: [
    {
      name: 'the preflight of a JSON body',
      method: 'OPTIONS',
      headers: askPreflight('POST', 'content-type'),
      expect: {
        status: 200,
        headers: {
          allow: 'POST, OPTIONS',
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'content-type',
        },
      },
    },
    {
      name: 'the request itself',
      headers: ['Origin', APP, 'Content-Type', 'application/json'],
      body: '{}',
      expect: { status: 200, headers: { 'access-control-allow-origin': APP }, json: { received: 2 } },
    },
  ],
};

const furtherScenarios: readonly DocumentedScenario[] = [
  {
    name: 'simple',
    summary: 'A request that needs no preflight; the origin is let in.',
    why: 'A proxy that adds its own Access-Control-Allow-Origin makes two values, and browsers refuse both.',
    policy: { allowOrigin: echoOrigin, variesByOrigin: true },
    examples: [
      {
        name: 'the origin is let in',
        headers: ['Origin', APP],
        expect: {
          status: 200,
          headers: {
            'access-control-allow-origin': APP,
            'access-control-allow-credentials': null,
            vary: 'Origin',
          },
          json: { mustBeAbsent: corsFieldNames.filter((name) => !/Allow-Origin|Vary/.test(name)) },
        },
      },
    ],
  },
  {
    name: 'credentials',
    summary: 'A request with cookies: the exact origin and Allow-Credentials.',
    why: 'With credentials a wildcard is void (Fetch §3.2.5), so the origin must not be widened to *.',
    policy: { allowOrigin: echoOrigin, allowsCredentials: true, variesByOrigin: true },
    examples: [
      {
        name: 'the exact origin, never a wildcard',
        headers: ['Origin', APP, 'Cookie', 'session=1'],
        expect: {
          status: 200,
          headers: {
            'access-control-allow-origin': APP,
            'access-control-allow-credentials': 'true',
            vary: 'Origin',
          },
        },
      },
    ],
  },
  {
    name: 'wildcard',
    summary: 'Everybody may read the answer: a wildcard, no credentials, no Vary.',
    why: 'The wildcard must not be narrowed to one origin: a shared cache would then serve it to all others.',
    policy: { allowOrigin: () => '*', variesByOrigin: false },
    examples: [
      {
        name: 'the wildcard, whoever asks',
        headers: ['Origin', APP],
        expect: {
          status: 200,
          headers: {
            'access-control-allow-origin': '*',
            'access-control-allow-credentials': null,
            vary: null,
          },
        },
      },
    ],
  },
  {
    name: 'expose-headers',
    summary: 'Two response fields are exposed to scripts, a third is not.',
    why: 'Scripts see only the fields that Access-Control-Expose-Headers names; a proxy must not drop or extend it.',
    policy: { allowOrigin: echoOrigin, exposes: ['X-Exposed', 'X-Also-Exposed'], variesByOrigin: true },
    headers: ['X-Exposed', 'one', 'X-Also-Exposed', 'two', 'X-Hidden', 'three'],
    examples: [
      {
        name: 'three fields, two of them exposed',
        headers: ['Origin', APP],
        expect: {
          status: 200,
          headers: {
            'access-control-expose-headers': 'X-Exposed, X-Also-Exposed',
            'x-exposed': 'one',
            'x-hidden': 'three',
          },
        },
      },
    ],
  },
  {
    name: 'denied',
    summary: 'No origin is let in: the answer has no CORS field at all, and a preflight is refused.',
    why: 'A proxy that adds CORS fields here opens what the backend closed.',
    policy: { allowOrigin: () => undefined, variesByOrigin: false },
    preflightStatus: 403,
    examples: [
      {
        name: 'nothing is granted',
        headers: ['Origin', APP],
        expect: {
          status: 200,
          headers: { 'access-control-allow-origin': null, vary: null },
          json: { mustBeUnchanged: {}, mustBeAbsent: corsFieldNames },
        },
      },
      {
        name: 'the preflight is refused',
        method: 'OPTIONS',
        headers: askPreflight('GET', 'x-token'),
        expect: {
          status: 403,
          headers: { 'access-control-allow-origin': null, 'access-control-allow-methods': null },
        },
      },
    ],
  },
  {
    name: 'vary-origin',
    summary: 'Two origins are let in, others not; every answer says Vary: Origin, also without an Origin.',
    why: 'A cache that overlooks Vary serves the answer for one origin to the other.',
    policy: {
      allowOrigin: (origin) =>
        origin === 'https://a.example.test' || origin === 'https://b.example.test' ? origin : undefined,
      variesByOrigin: true,
    },
    examples: [
      {
        name: 'a known origin',
        headers: ['Origin', 'https://b.example.test'],
        expect: {
          status: 200,
          headers: { 'access-control-allow-origin': 'https://b.example.test', vary: 'Origin' },
        },
      },
      {
        name: 'an unknown origin',
        headers: ['Origin', 'https://c.example.test'],
        expect: { status: 200, headers: { 'access-control-allow-origin': null, vary: 'Origin' } },
      },
      {
        name: 'no origin',
        expect: { status: 200, headers: { 'access-control-allow-origin': null, vary: 'Origin' } },
      },
    ],
  },
];

/** One endpoint is made of each. */
export const corsScenarios: readonly DocumentedScenario[] = [preflight, preflightPost, ...furtherScenarios];
