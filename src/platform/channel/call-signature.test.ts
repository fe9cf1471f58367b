import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { Fault } from '../../kernel/faults.ts';
import { systemRandom } from '../../kernel/random.ts';
import { SecretBox } from '../../kernel/secret-box.ts';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { CallVerifier, channelKeyOf, createCallSigner, type InternalCall } from './call-signature.ts';

const masterKey = randomBytes(32);
const key = channelKeyOf(new SecretBox(masterKey));
const call: InternalCall = {
  method: 'POST',
  target: '/gateway/internal/revisions/?x=1',
  environmentId: 'a'.repeat(24),
};

const body = Buffer.from('{"revision":7}');

function setUp() {
  const clock = new ManualClock();
  return {
    clock,
    signer: createCallSigner(key, { clock, random: systemRandom }),
    verifier: new CallVerifier(key, clock),
  };
}

function assertRefused(verify: () => void): void {
  assert.throws(verify, (error) => error instanceof Fault && error.key === 'channel.refused');
}

describe('a call from module to module', () => {
  test('is taken when whoever sent it has the key', () => {
    const { signer, verifier } = setUp();
    const checkBody = verifier.verify(signer.sign(call, body), call);
    checkBody(body);
    for (const other of ['', '{"revision":8}', '{"revision":7} '])
      assertRefused(() => checkBody(Buffer.from(other)));
  });

  const changes: Array<[what: string, change: Partial<InternalCall>]> = [
    ['another method', { method: 'PUT' }],
    ['another path', { target: '/gateway/internal/state/' }],
    ['another query', { target: '/gateway/internal/revisions/?x=2' }],
    ['another environment', { environmentId: 'b'.repeat(24) }],
  ];
  for (const [what, change] of changes) {
    test(`is refused with ${what} than was signed`, () => {
      const { signer, verifier } = setUp();
      assertRefused(() => verifier.verify(signer.sign(call, body), { ...call, ...change }));
    });
  }

  test('is refused when it comes twice, at any time', () => {
    const { clock, signer, verifier } = setUp();
    const authorization = signer.sign(call, body);
    verifier.verify(authorization, call);
    for (const waitMs of [0, 15_000, 14_999, 1, 30_000, 60_000]) {
      clock.advance(waitMs);
      assertRefused(() => verifier.verify(authorization, call));
    }
  });

  test('is refused when it comes too late, or from a clock that is too far ahead', () => {
    const { clock, signer, verifier } = setUp();
    const inTime = signer.sign(call, body);
    const tooLate = signer.sign(call, body);
    clock.advance(30_000);
    verifier.verify(inTime, call);
    clock.advance(1);
    assertRefused(() => verifier.verify(tooLate, call));

    const ahead = createCallSigner(key, {
      clock: new ManualClock(clock.now() + 30_001),
      random: systemRandom,
    });
    assertRefused(() => verifier.verify(ahead.sign(call, body), call));
  });

  test('is refused when it was signed with the key of another installation, or with the master key itself', () => {
    const { clock, verifier } = setUp();
    for (const wrong of [channelKeyOf(new SecretBox(randomBytes(32))), masterKey]) {
      const signer = createCallSigner(wrong, { clock, random: systemRandom });
      assertRefused(() => verifier.verify(signer.sign(call, body), call));
    }
  });

  test('is refused without a signature, and with what is none', () => {
    const { signer, verifier } = setUp();
    const valid = signer.sign(call, body);
    const broken = [
      undefined,
      '',
      'Gatehouse-Channel',
      'a'.repeat(24),
      `Bearer ${valid}`,
      valid.slice(0, -1),
      `${valid}A`,
      valid.replace('v1', 'v2'),
      valid.replace(/\.\d+\./, '.-1.'),
      `${valid} `,
    ];
    for (const authorization of broken) assertRefused(() => verifier.verify(authorization, call));
    verifier.verify(valid, call);
  });
});
