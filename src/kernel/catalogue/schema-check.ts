import type { ErrorObject } from 'ajv';
import type { TSchema } from 'typebox';

interface BrokenRule {
  /** JSON Pointer to the value that breaks it; empty for the whole. */
  readonly pointer: string;
  /** The rule in words, the pointer included. */
  readonly rule: string;
}

/** Undefined when the value holds. Defaults of the schema are filled in. */
export type Check = (value: unknown) => BrokenRule | undefined;

/** ajv is loaded by the first value that needs it: start-up does not pay for it. */
export async function compileCheck(schema: TSchema): Promise<Check> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { default: addFormats } = await import('ajv-formats');
  const ajv = new Ajv2020({ strict: false, useDefaults: true });
  addFormats.default(ajv);
  const validate = ajv.compile(withoutIds(schema));
  return (value) => (validate(value) ? undefined : describe(validate.errors![0]!));
}

/** Names of schemas are for the OpenAPI document; ajv would take the same name met twice for a clash. */
function withoutIds(schema: TSchema): object {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === '$id' && typeof value === 'string' ? undefined : value)),
  );
}

function describe(error: ErrorObject): BrokenRule {
  const { instancePath: pointer, keyword, params } = error;
  const message = error.message ?? `breaks the rule ${keyword}`;
  const choices = 'allowedValues' in params ? `: ${params.allowedValues.join(', ')}` : '';
  const rule =
    keyword === 'additionalProperties' ? `must not have the member ${params.additionalProperty}` : message;
  return { pointer, rule: `${pointer === '' ? '' : `at ${pointer} `}${rule}${choices}` };
}
