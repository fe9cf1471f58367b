import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemXml, reviewProblem } from './problem-document.ts';
import { problemSamples } from './problem-samples.ts';
import { parseXml } from './xml.ts';

describe('reviewProblem', () => {
  const cases: ReadonlyArray<readonly [document: unknown, errors: string[], warnings: string[]]> = [
    [{ type: '/p', title: 'P', status: 400, detail: 'd', instance: '/i' }, [], []],
    [{}, [], ['#/type', '#/title']],
    [{ type: 'about:blank', title: 'P', ext_1: true }, [], []],
    [{ type: 'has space', title: 'P' }, ['#/type'], []],
    [{ type: '/p', title: 7, detail: null, instance: [] }, ['#/title', '#/detail', '#/instance'], []],
    [{ type: '/p', title: 'P', status: '400' }, ['#/status'], []],
    [{ type: '/p', title: 'P', status: 600 }, ['#/status'], []],
    [{ type: '/p', title: 'P', status: 400.5 }, ['#/status'], []],
    [{ type: '/p', title: 'P', 'a-b-c': 1, xy: 2, '1ab': 3 }, [], ['#/1ab', '#/a-b-c', '#/xy']],
    [[], ['#'], []],
    [null, ['#'], []],
    ['text', ['#'], []],
  ];
  for (const [document, errors, warnings] of cases) {
    test(JSON.stringify(document), () => {
      const review = reviewProblem(document);
      const pointers = (findings: typeof review.errors) => findings.map(({ pointer }) => pointer);
      assert.deepEqual(pointers(review.errors), errors);
      assert.deepEqual(pointers(review.warnings).sort(), [...warnings].sort());
    });
  }
});

test('every sample is a document its own review finds nothing wrong with', () => {
  for (const [status, { headers: _, ...document }] of Object.entries(problemSamples)) {
    assert.deepEqual(
      reviewProblem({ ...document, status: Number(status) }),
      { errors: [], warnings: [] },
      status,
    );
  }
});

test('the XML form escapes, and spells arrays as elements named i', () => {
  const text = problemXml({
    type: '/p',
    detail: 'a < b & c',
    errors: [{ pointer: '#/x', detail: 'no' }, 'plain'],
  });
  const root = parseXml(text);
  assert.equal(root.namespace, 'urn:ietf:rfc:7807');
  assert.match(text, /<detail>a &lt; b &amp; c<\/detail>/);
  assert.match(
    text,
    /<errors>\s*<i>\s*<pointer>#\/x<\/pointer>\s*<detail>no<\/detail>\s*<\/i>\s*<i>plain<\/i>\s*<\/errors>/,
  );
});
