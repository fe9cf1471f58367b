import { cleanupScript, type FieldMode, modeOfSource } from '../cleanup-script.ts';
import { EngineError, illegalArgument, invalidRequest, parsingError } from './engine-error.ts';

/** What a run does to each document that its query finds. */
export type ByQueryAct =
  | { readonly kind: 'delete' }
  /** Without a mode every document is written again as it is. */
  | { readonly kind: 'update'; readonly clean: { mode: FieldMode; fields: ReadonlySet<string> } | undefined };

export interface ByQueryRequest {
  readonly act: ByQueryAct;
  readonly query: unknown;
  readonly abortsOnConflict: boolean;
  readonly batchSize: number;
  /** Infinity when it is not throttled. */
  readonly perSecond: number;
  /** As the list of tasks describes it. */
  readonly description: string;
}

type Members = Readonly<Record<string, unknown>>;

export interface ByQueryParameters {
  readonly conflicts?: string;
  readonly requests_per_second?: string;
  readonly scroll_size?: string;
  readonly slices?: string;
}

const DEFAULT_BATCH_SIZE = 1000;

export function readByQuery(
  kind: ByQueryAct['kind'],
  target: string,
  body: unknown,
  parameters: ByQueryParameters,
): ByQueryRequest {
  const members = (body ?? {}) as Members;
  const known = kind === 'delete' ? ['query', 'conflicts'] : ['query', 'conflicts', 'script'];
  const unknown = Object.keys(members).find((name) => !known.includes(name));
  if (unknown !== undefined) throw parsingError(`request does not support [${unknown}]`);
  if (kind === 'delete' && members.query === undefined) throw invalidRequest('query is missing');
  const conflicts = parameters.conflicts ?? members.conflicts ?? 'abort';
  if (conflicts !== 'proceed' && conflicts !== 'abort')
    throw illegalArgument(`conflicts may only be "proceed" or "abort" but was [${String(conflicts)}]`);
  checkSlices(parameters.slices);
  const act: ByQueryAct = kind === 'delete' ? { kind } : { kind, clean: readScript(members.script) };
  return {
    act,
    query: members.query ?? { match_all: {} },
    abortsOnConflict: conflicts === 'abort',
    batchSize: readBatchSize(parameters.scroll_size),
    perSecond: readPerSecond(parameters.requests_per_second ?? '-1'),
    description: describe(act, target),
  };
}

/** The cleanup script, word for word. There is no script engine here, so any other is refused. */
function readScript(script: unknown): Extract<ByQueryAct, { kind: 'update' }>['clean'] {
  if (script === undefined) return undefined;
  const { source, lang = 'painless', params = {}, ...others } = script as Members;
  const mode = typeof source === 'string' && lang === 'painless' ? modeOfSource(source) : undefined;
  const { fields, ...otherParams } = params as Members;
  const isKnown = Object.keys(others).length === 0 && Object.keys(otherParams).length === 0;
  if (!mode || !isKnown)
    throw new EngineError(
      400,
      'script_exception',
      'the embedded log index runs no scripts but the one of the index cleanup',
    );
  if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string'))
    throw new EngineError(400, 'script_exception', 'runtime error: params.fields must be a list of texts');
  return { mode, fields: new Set(fields) };
}

/** Slices run a query in parallel elsewhere; here one thread does all of it, and the result is the same. */
function checkSlices(slices: string | undefined): void {
  if (slices === undefined || slices === 'auto' || /^[1-9]\d{0,4}$/.test(slices)) return;
  throw illegalArgument(`[slices] must be a positive integer or the string "auto", but was [${slices}]`);
}

function readBatchSize(text: string | undefined): number {
  if (text === undefined) return DEFAULT_BATCH_SIZE;
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= 10_000) return Number(text);
  throw illegalArgument(`[scroll_size] must be a whole number from 1 to 10000, but was [${text}]`);
}

/** -1 is as fast as it goes. */
export function readPerSecond(text: string): number {
  const number = text === 'unlimited' ? -1 : Number(text);
  if (number === -1) return Number.POSITIVE_INFINITY;
  if (text !== '' && number > 0 && number < Number.POSITIVE_INFINITY) return number;
  throw illegalArgument(
    '[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.',
  );
}

function describe(act: ByQueryAct, target: string): string {
  if (act.kind === 'delete') return `delete-by-query [${target}]`;
  if (!act.clean) return `update-by-query [${target}]`;
  const { mode, fields } = act.clean;
  const { source, params } = cleanupScript(mode, [...fields]);
  return `update-by-query [${target}] updated with Script{type=inline, lang='painless', idOrCode='${source}', options={}, params={fields=[${params.fields.join(', ')}]}}`;
}
