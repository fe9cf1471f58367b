import { EngineError, illegalArgument } from './engine-error.ts';

/** The blocks of an index: absent, or the texts "true" and "false" as they were set. */
export type Blocks = Readonly<Partial<Record<BlockName, string>>>;
export type BlockName = (typeof blockNames)[number];

export const blockNames = ['write', 'read_only', 'read_only_allow_delete', 'metadata', 'read'] as const;

type Level = 'read' | 'write' | 'metadata-read' | 'metadata-write';

const blockRules: Readonly<
  Record<BlockName, { readonly status: number; readonly label: string; readonly levels: readonly Level[] }>
> = {
  write: { status: 403, label: 'FORBIDDEN/8/index write (api)', levels: ['write'] },
  read_only: {
    status: 403,
    label: 'FORBIDDEN/5/index read-only (api)',
    levels: ['write', 'metadata-write'],
  },
  read_only_allow_delete: {
    status: 429,
    label:
      'TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block',
    levels: ['write', 'metadata-write'],
  },
  metadata: {
    status: 403,
    label: 'FORBIDDEN/9/index metadata (api)',
    levels: ['metadata-read', 'metadata-write'],
  },
  read: { status: 403, label: 'FORBIDDEN/7/index read (api)', levels: ['read'] },
};

/** The refusal of an act of this level; undefined when nothing is in its way. */
export function blockedBy(index: string, blocks: Blocks, level: Level): EngineError | undefined {
  const standing = blockNames.filter(
    (name) => blocks[name] === 'true' && blockRules[name].levels.includes(level),
  );
  if (standing.length === 0) return undefined;
  const rules = standing.map((name) => blockRules[name]);
  // Only when everything in the way may go by itself is it worth another try.
  const status = rules.every((rule) => rule.status === 429) ? 429 : 403;
  const labels = rules.map(({ label }) => `[${label}];`).join('');
  return new EngineError(status, 'cluster_block_exception', `index [${index}] blocked by: ${labels}`);
}

/** The block settings that a body asks for; null takes a setting away. All other settings are refused. */
export function readBlockSettings(body: unknown): Map<BlockName, string | null> {
  const changes = new Map<BlockName, string | null>();
  for (const [key, value] of flatSettings(body)) {
    const block = blockNames.find((name) => key === `index.blocks.${name}`);
    if (!block)
      throw illegalArgument(
        `unknown setting [${key}] please check that any required plugins are installed, or check the breaking changes documentation for removed settings`,
      );
    changes.set(block, value === null ? null : booleanText(value));
  }
  return changes;
}

/** An index that must not be changed still lets the block itself be taken away, alone. */
export function isUnblocking(changes: ReadonlyMap<BlockName, unknown>): boolean {
  const [name] = changes.keys();
  return changes.size === 1 && name !== 'write' && name !== 'read';
}

/** What an index is made with; of this the embedded one keeps the blocks, and refuses what it could not keep to. */
export function readCreationSettings(settings: unknown): Blocks {
  const blocks: Partial<Record<BlockName, string>> = {};
  for (const [key, value] of flatSettings(settings)) {
    const block = blockNames.find((name) => key === `index.blocks.${name}`);
    if (block && value !== null) blocks[block] = booleanText(value);
    else if (!SINGLE_COPY.has(`${key}=${String(value)}`) && !WITHOUT_EFFECT.has(key))
      throw illegalArgument(`the embedded log index does not know the setting [${key}: ${String(value)}]`);
  }
  return blocks;
}

/** One shard without replicas is what it has. */
const SINGLE_COPY = new Set(['index.number_of_shards=1', 'index.number_of_replicas=0']);
/** What was written is found at once, whatever this says. */
const WITHOUT_EFFECT = new Set(['index.refresh_interval', 'index.hidden']);

function booleanText(value: unknown): string {
  const text = String(value);
  if (text === 'true' || text === 'false') return text;
  throw illegalArgument(`Failed to parse value [${text}] as only [true] or [false] are allowed.`);
}

/** `{index: {blocks: {write: true}}}` and `{'index.blocks.write': true}` are the same; `index.` may be left out. */
function flatSettings(body: unknown): Array<[key: string, value: unknown]> {
  const flat: Array<[string, unknown]> = [];
  const walk = (value: unknown, prefix: string): void => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      flat.push([prefix, value]);
      return;
    }
    for (const [name, member] of Object.entries(value)) walk(member, prefix ? `${prefix}.${name}` : name);
  };
  walk(body ?? {}, '');
  return flat.map(([path, value]) => {
    const key = path.replace(/^settings\./, '');
    return [key.startsWith('index.') ? key : `index.${key}`, value];
  });
}

/** The settings as they are told: every value a text, the keys in order. */
export function toldSettings(
  settings: Readonly<Record<string, string>>,
  isFlat: boolean,
): Record<string, unknown> {
  const entries = Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1));
  if (isFlat) return Object.fromEntries(entries);
  const nested: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    const names = key.split('.');
    const last = names.pop()!;
    let at = nested;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Record<string, unknown>;
    }
    at[last] = value;
  }
  return nested;
}
