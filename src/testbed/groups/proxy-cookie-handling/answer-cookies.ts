import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { json } from '../../../kernel/catalogue/declarations.ts';

export const sentCookies = json(
  '`count` and the fields `sent`, so that a proxy that merges or rewrites them is found out.',
  Type.Object({ count: Type.Integer(), sent: Type.Array(Type.String()) }),
);

/** One field per cookie: they can never be joined, because a comma is no delimiter in them (RFC 6265 §3). */
export function answerCookies(fields: readonly string[]): PlainAnswer {
  return reply.json(
    { count: fields.length, sent: fields },
    { headers: fields.flatMap((field) => ['Set-Cookie', field]) },
  );
}
