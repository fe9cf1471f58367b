import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { etagOf } from '../../kernel/contracts/revisions.ts';

/** Newer endpoints answer the object itself. */
export function plainResult(view: object, revision: number): PlainAnswer {
  return reply.json(view, { headers: ['ETag', etagOf(revision)] });
}
