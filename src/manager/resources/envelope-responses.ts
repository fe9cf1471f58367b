import { type TSchema, Type } from 'typebox';
import type { PlainAnswer } from '../../kernel/catalogue/answer.ts';
import { json } from '../../kernel/catalogue/declarations.ts';
import type { ResponseDeclaration } from '../../kernel/catalogue/endpoint.ts';
import { success } from '../../kernel/contracts/envelope.ts';
import { etagOf } from '../../kernel/contracts/revisions.ts';

const SUCCESS = Type.Literal('SUCCESS');

/** The answer of a list: a page of it, and how many there are in all. */
export const envelopeList = (schema: TSchema) =>
  json(
    'A page of the list.',
    Type.Object({ status: SUCCESS, resultList: Type.Array(schema), resultCount: Type.Integer() }),
  );

/** The answer about one object, the only one of its list. */
export const envelopeOne = (schema: TSchema): ResponseDeclaration => ({
  ...json(
    'The object.',
    Type.Object({ status: SUCCESS, resultList: Type.Array(schema), resultCount: Type.Literal(1) }),
  ),
  headers: { ETag: 'Its revision, for If-Match.' },
});

export const envelopeDone = json('It is done.', Type.Object({ status: SUCCESS }));

export function oneResult(view: object, revision: number): PlainAnswer {
  return success({ resultList: [view], resultCount: 1 }, { headers: ['ETag', etagOf(revision)] });
}
