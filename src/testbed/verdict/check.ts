import { Type } from 'typebox';

/** One judgement about what arrived. Regular on purpose: tables over many proxies are made from it. */
export interface Check {
  /** Stable name such as `hop-by-hop.te`. */
  readonly id: string;
  readonly ok: boolean;
  readonly expected: unknown;
  readonly seen: unknown;
  /** The rule, and where it did not hold what was done instead. */
  readonly why: string;
}

export interface Verdict {
  /** True when every check is. */
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

export function verdictOf(checks: readonly Check[]): Verdict {
  return { ok: checks.every(({ ok }) => ok), checks };
}

/** Both, as the OpenAPI document shows them. */
export const checkSchema = Type.Object(
  {
    id: Type.String({ description: 'Stable name of the check.' }),
    ok: Type.Boolean(),
    expected: Type.Unknown(),
    seen: Type.Unknown(),
    why: Type.String({ description: 'The rule, or what was done instead.' }),
  },
  { $id: 'Check', description: 'One judgement about what arrived.' },
);

export const verdictSchema = Type.Object({ ok: Type.Boolean(), checks: Type.Array(checkSchema) });

/** A comma-separated list as clients write their expectations. */
export function listOf(field: string): string[] {
  return field
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
