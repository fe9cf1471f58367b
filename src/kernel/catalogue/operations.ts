import type { TObject } from 'typebox';
import type { Endpoint } from './endpoint.ts';
import type { ParameterSchema } from './parameter-values.ts';

/** An entry as descriptions see it. */
export type Documented = Omit<Endpoint<never, never>, 'handle'>;

/** One method of one entry. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly endpoint: Documented;
}

export interface OperationInput {
  readonly place: 'path' | 'query' | 'header';
  readonly name: string;
  readonly schema: ParameterSchema & { readonly description?: string };
  readonly isRequired: boolean;
}

/** The methods a path item of OpenAPI 3.1 has room for. */
const DESCRIBABLE = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']);
/** What stands for an entry that names no method but `ANY`. */
const USUAL_METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];

/** What an entry shows of itself: the methods it names. HEAD and OPTIONS that are answered without being named stay unsaid. */
export function operationsOf(endpoint: Documented): Operation[] {
  const isOnlyAny = endpoint.methods.every((method) => method === 'ANY');
  const methods = isOnlyAny ? USUAL_METHODS : endpoint.methods.filter((method) => DESCRIBABLE.has(method));
  const idOf = (method: string) =>
    methods.length > 1 ? `${endpoint.id}-${method.toLowerCase()}` : endpoint.id;
  return methods.map((method) => ({ id: idOf(method), method, endpoint }));
}

/** Every declared parameter, and every placeholder of the path whether declared or not. */
export function inputsOf({ path, params, query, headers }: Documented): OperationInput[] {
  const declared = declaredIn('path', params);
  const placeholders = [...path.matchAll(/\{([^}*]+)(?:\*\*)?\}/g)].map(([, name]) => name!);
  const fromPath = placeholders.map((name): OperationInput => {
    const schema = declared.find((one) => one.name === name)?.schema ?? { type: 'string' };
    return { place: 'path', name, schema, isRequired: true };
  });
  return [...fromPath, ...declaredIn('query', query), ...declaredIn('header', headers)];
}

function declaredIn(place: OperationInput['place'], declared: TObject | undefined): OperationInput[] {
  if (!declared) return [];
  const required = new Set<string>(declared.required);
  return Object.entries(declared.properties as Record<string, ParameterSchema>).map(([name, schema]) => ({
    place,
    name,
    schema,
    isRequired: required.has(name) && schema.default === undefined,
  }));
}
