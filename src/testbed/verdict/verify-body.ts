import { HeaderList } from '../../http1/header-list.ts';
import {
  type BodyDigests,
  digestBody,
  type ExpectedDigest,
  expectedDigests,
} from '../content/body-digest.ts';
import type { TestbedCall } from '../endpoint.ts';
import type { Check } from './check.ts';

export interface BodyVerdict {
  /** Null when the client named no digest to compare with. */
  readonly ok: boolean | null;
  readonly algorithm: string;
  /** Lower-case hex, as `actual`. */
  readonly expected: string | null;
  readonly actual: string;
  readonly length: number;
  readonly checks: readonly Check[];
}

/**
 * Hashes the body while it arrives and compares it with every digest the client named.
 * Whoever wants to look at the content as well is handed each chunk as it passes.
 */
export async function verifyBody(
  { exchange, request, services }: TestbedCall,
  onChunk?: (chunk: Buffer) => void,
): Promise<BodyVerdict> {
  // Read first: a malformed expectation is refused before a large body is sent for nothing.
  const announced = expectedDigests(request.headers);
  const { maxVerifyBytes } = services.settings.limits;
  const digests = await digestBody(exchange.body, request.headers, maxVerifyBytes, onChunk);
  const trailing = expectedDigests(new HeaderList(exchange.body.trailers));
  return judgeBody(digests, [...announced, ...trailing]);
}

export function judgeBody(digests: BodyDigests, expected: readonly ExpectedDigest[]): BodyVerdict {
  const comparable = expected.filter(({ algorithm }) => digests.byAlgorithm.has(algorithm));
  const checks = comparable.map((expectation) => digestCheck(digests, expectation));
  const failed = checks.findIndex(({ ok }) => !ok);
  // The first mismatch is what the reader wants to see.
  const shown = comparable[Math.max(failed, 0)];
  const algorithm = shown?.algorithm ?? 'sha-256';
  return {
    ok: checks.length === 0 ? null : failed < 0,
    algorithm,
    expected: shown?.digest.toString('hex') ?? null,
    actual: digests.byAlgorithm.get(algorithm)!.toString('hex'),
    length: digests.length,
    checks,
  };
}

export function digestCheck(digests: BodyDigests, { field, algorithm, digest }: ExpectedDigest): Check {
  const actual = digests.byAlgorithm.get(algorithm)!;
  return {
    id: `body.${algorithm}`,
    ok: actual.equals(digest),
    expected: digest.toString('hex'),
    seen: actual.toString('hex'),
    why: `${field} names the ${algorithm} of the content as it was sent.`,
  };
}
