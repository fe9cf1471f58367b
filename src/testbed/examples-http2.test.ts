import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fitsHttp2, runExampleOverHttp2 } from '../kernel/catalogue/testing/run-example-http2.ts';
import { testbedCatalogue } from './catalogue.ts';
import { startTestbed } from './testing/start-testbed.ts';

const LOWER_CASE = 'HTTP/2 sends field names in lower case';
const FRAMING = 'the answer tells how the body was framed';
const VERSION = 'the answer tells the version of HTTP';
const HTTP2_FAULT = 'the endpoint is for HTTP/2 and refuses HTTP/1.1';

/** Examples that promise something else over HTTP/2, `entry / example`, and why. */
const otherwise: Readonly<Record<string, string>> = {
  'proxy-body-empty-echo / Content-Length: 0 arrives as such': FRAMING,
  'proxy-body-empty-echo / content where none should be': FRAMING,
  'post / verbose adds the digest of the body': FRAMING,
  'smuggling-probe / recorded': FRAMING,
  'proxy-verdict / nothing changed': VERSION,
  'connection-info / the first request of a connection': VERSION,
  'connection-keep-alive / the first request of a connection': VERSION,
  'proxy-methods-echo / GET': VERSION,
  'k8s-echo / names in canonical casing, values in lists': VERSION,
  'proxy-headers-case / one was changed': LOWER_CASE,
  'proxy-headers-case / all are as sent': LOWER_CASE,
  'proxy-headers-echo / order, spelling and duplicates are kept': LOWER_CASE,
  'proxy-headers-large-echo / a field of 8 KiB': LOWER_CASE,
  'proxy-headers-custom / a field is mirrored': LOWER_CASE,
  'header-injection / a forged address and a hidden line break': LOWER_CASE,
  'proxy-headers-many / three arrive beside Host and Connection': 'there is no Connection',
  'edge-many-header-lines / two hundred': 'the client, Node itself, takes no more than 128 fields',
  'h2-goaway / HTTP/1.1 has no such frames': HTTP2_FAULT,
  'h2-rst-stream / HTTP/1.1 has no such frames': HTTP2_FAULT,
  'h2-stall / HTTP/1.1 has no such frames': HTTP2_FAULT,
  'h2-settings-flood / HTTP/1.1 has no such frames': HTTP2_FAULT,
};

describe('every endpoint keeps its promises over HTTP/2', { concurrency: 8 }, () => {
  const fitting = testbedCatalogue.flatMap((entry) =>
    entry.examples.filter((example) => fitsHttp2(entry, example)).map((example) => ({ entry, example })),
  );

  for (const { entry, example } of fitting) {
    const name = `${entry.id} / ${example.name}`;
    const reason = otherwise[name];
    test(reason === undefined ? name : `${name}: not so, ${reason}`, async () => {
      await using testbed = await startTestbed();
      const run = runExampleOverHttp2(testbed.port, entry, example);
      if (reason === undefined) await run;
      else await assert.rejects(run);
      assert.deepEqual(testbed.errors, [], 'nothing unforeseen may be logged');
    });
  }

  test('the list of exceptions names examples that exist', () => {
    const names = new Set(fitting.map(({ entry, example }) => `${entry.id} / ${example.name}`));
    assert.deepEqual(
      Object.keys(otherwise).filter((name) => !names.has(name)),
      [],
    );
  });
});
