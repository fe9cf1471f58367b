import { MASK } from '../../../kernel/mask.ts';

const SECRET_MEMBER = /(?:password|secret|token|credential|authorization|api-?key|private-?key)$/i;
const MAX_DEPTH = 16;

/** A copy in which text under a secret's name is masked, at any depth. */
export function masked(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((item) => masked(item, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecret(name, member) ? MASK : masked(member, depth + 1),
    ]),
  );
}

function isSecret(name: string, member: unknown): boolean {
  return typeof member === 'string' && member !== '' && SECRET_MEMBER.test(name);
}
