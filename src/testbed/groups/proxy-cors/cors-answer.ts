import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import type { RequestView } from '../../../kernel/catalogue/request-view.ts';
import { type CorsPolicy, corsFields, preflightOf } from '../../content/cors-policy.ts';

export const corsFieldNames = [
  'Access-Control-Allow-Origin',
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Allow-Private-Network',
  'Access-Control-Max-Age',
  'Access-Control-Expose-Headers',
  'Vary',
];

export const corsAnswerSchema = Type.Object({
  scenario: Type.String(),
  origin: Type.Union([Type.String(), Type.Null()], { description: 'The Origin that arrived.' }),
  preflight: Type.Union([
    Type.Null(),
    Type.Object({ method: Type.String(), headers: Type.Union([Type.String(), Type.Null()]) }),
  ]),
  mustBeUnchanged: Type.Record(Type.String(), Type.String(), {
    description: 'Fields of this answer that a conforming proxy passes on as they are, each once.',
  }),
  mustBeAbsent: Type.Array(Type.String(), { description: 'Fields that a conforming proxy does not add.' }),
  why: Type.String(),
});

/** What is let in, and what the answer has beside it. */
export interface CorsScenario {
  readonly name: string;
  readonly why: string;
  readonly policy: CorsPolicy;
  /** The method of the real request; OPTIONS is always there beside it. */
  readonly method?: 'GET' | 'POST';
  /** Fields of the answer beside those of CORS. */
  readonly headers?: readonly string[];
  /** Status of a preflight; 200 unless the scenario refuses it. */
  readonly preflightStatus?: number;
}

/** The answer to the scenario, which says itself what must reach the client of it. */
export function corsAnswer(
  { name, why, policy, method = 'GET', headers = [], preflightStatus = 200 }: CorsScenario,
  request: RequestView,
  further: object,
): PlainAnswer {
  const asked = preflightOf(request);
  const fields = corsFields(policy, request);
  const mustBeUnchanged: Record<string, string> = {};
  for (let index = 0; index < fields.length; index += 2) mustBeUnchanged[fields[index]!] = fields[index + 1]!;
  const allow = method === 'GET' ? 'GET, HEAD, OPTIONS' : `${method}, OPTIONS`;
  return reply.json(
    {
      scenario: name,
      origin: request.headers.first('origin') ?? null,
      preflight: asked ?? null,
      mustBeUnchanged,
      mustBeAbsent: corsFieldNames.filter((field) => !(field in mustBeUnchanged)),
      why,
      ...further,
    },
    {
      status: asked ? preflightStatus : 200,
      headers: [...(request.method === 'OPTIONS' ? ['Allow', allow] : []), ...fields, ...headers],
    },
  );
}
