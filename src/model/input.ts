import { type TObject, type TProperties, type TSchemaOptions, Type } from 'typebox';

/** The schema of something that clients send: members that have a default may be left out, unknown ones are refused. */
export function input<Properties extends TProperties>(
  properties: Properties,
  options: TSchemaOptions = {},
): TObject<Properties> {
  const schema = Type.Object(properties, { ...options, additionalProperties: false });
  const members = schema.properties as Record<string, { readonly default?: unknown }>;
  const required = ((schema.required ?? []) as readonly string[]).filter(
    (name) => members[name]?.default === undefined,
  );
  return { ...schema, required } as unknown as TObject<Properties>;
}
