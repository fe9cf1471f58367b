import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type AskOptions, ask } from './prompt.ts';

/** A terminal without one: what is typed comes in, what is shown is kept. */
function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  let text = '';
  const output = new PassThrough().on('data', (bytes) => {
    text += bytes;
  });
  return { input, output, modes, shown: () => text };
}

async function asking(typed: ReadonlyArray<string | Buffer>, options: AskOptions = {}, isEnded = false) {
  const { input, output, modes, shown } = terminal();
  const answer = ask({ input, output }, 'Question: ', options);
  for (const text of typed) {
    input.write(text);
    await setImmediate();
  }
  if (isEnded) input.end();
  const answered = await answer;
  await setImmediate();
  return { answer: answered, modes, shown: shown(), isPaused: input.isPaused() };
}

describe('a question on the terminal', () => {
  const lines: Array<[what: string, typed: string[], answer: string]> = [
    ['a line', ['yes\n'], 'yes'],
    ['a line in pieces', ['y', 'es', '\n'], 'yes'],
    ['an empty line', ['\n'], ''],
    ['the end of a line of Windows', ['yes\r\n'], 'yes'],
    ['blanks as they are', [' yes \n'], ' yes '],
  ];
  for (const [what, typed, expected] of lines) {
    it(`takes ${what}`, async () => {
      const { answer, modes, isPaused, shown } = await asking(typed);
      assert.deepEqual([answer, modes, isPaused, shown], [expected, [], true, 'Question: ']);
    });
  }

  it('is not answered by the end of the input', async () => {
    assert.equal((await asking([], {}, true)).answer, undefined);
    assert.equal((await asking(['ye'], {}, true)).answer, undefined);
  });

  it('about a secret shows nothing, and leaves the terminal as it was', async () => {
    const { answer, modes, shown } = await asking(['pä$', '\u007f', 'ss', '\r'], { isSecret: true });
    assert.deepEqual([answer, modes], ['päss', [true, false]]);
    assert.equal(shown, 'Question: \n');
    const pieces = [...Buffer.from('pä\r')].map((byte) => Buffer.of(byte));
    assert.equal((await asking(pieces, { isSecret: true })).answer, 'pä');
    assert.equal((await asking(['\u0004'], { isSecret: true })).answer, undefined);
  });

  it('is given up by its signal', async () => {
    const { input, output, modes } = terminal();
    const controller = new AbortController();
    const answer = ask({ input, output }, 'Question: ', { isSecret: true, signal: controller.signal });
    controller.abort(new Error('interrupted'));
    await assert.rejects(answer, /interrupted/);
    assert.deepEqual(modes, [true, false]);
    assert.equal(input.listenerCount('data'), 0);
    await assert.rejects(ask({ input, output }, 'Again: ', { signal: controller.signal }), /interrupted/);
  });
});
