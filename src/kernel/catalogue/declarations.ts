import { type TSchema, Type } from 'typebox';
import type { BodyDeclaration, ResponseDeclaration } from './endpoint.ts';

/** Parameter types that the specification names. */
export const int32 = (options: object = {}) =>
  Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1, format: 'int32', ...options });
/** Refused beyond ±(2^53 - 1), which JavaScript could not hold exactly. */
export const int64 = (options: object = {}) => Type.Integer({ format: 'int64', ...options });

/** A JSON body that the kernel reads, parses and checks before the handler runs. */
export function jsonBody<Schema extends TSchema>(
  schema: Schema,
  options: { description?: string; required?: boolean; maxBytes?: number } = {},
): BodyDeclaration & { json: Schema } {
  return { required: true, ...options, content: { 'application/json': schema }, json: schema };
}

/** A body the handler reads by itself. */
export function rawBody(...mediaTypes: string[]): BodyDeclaration {
  const types = mediaTypes.length > 0 ? mediaTypes : ['*/*'];
  return { content: Object.fromEntries(types.map((type) => [type, Type.Unknown()])) };
}

// Responses, as the OpenAPI document shows them.
const content =
  (mediaType: string) =>
  (description: string, schema: TSchema = Type.Unknown()): ResponseDeclaration => ({
    description,
    content: { [mediaType]: schema },
  });

export const json = content('application/json');
export const anyType = content('*/*');
export const xml = content('application/xml');
export const problem = (description: string) =>
  content('application/problem+json')(description, problemSchema);
export const text = (description: string) => content('text/plain')(description, Type.String());
export const html = (description: string) => content('text/html')(description, Type.String());
export const binary = (description: string, mediaType = 'application/octet-stream') =>
  content(mediaType)(description, Type.String({ format: 'binary' }));
export const eventStream = (description: string) => content('text/event-stream')(description, Type.String());
export const noBody = (description: string): ResponseDeclaration => ({ description });
export const redirect = (description = 'A redirect.'): ResponseDeclaration => ({
  description,
  headers: { Location: 'Where to go.' },
});

export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'Names the kind of problem.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String({ description: 'The path that was asked for.' }),
  },
  { $id: 'Problem', description: 'RFC 9457 problem details.' },
);
