import { Type } from 'typebox';
import { int64 } from '../../kernel/catalogue/declarations.ts';

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

/** Contact (spec 1 §2), as the OpenAPI document shows it and as it is checked. */
export const contactSchema = Type.Object(
  {
    id: int64({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
    name: Type.String({ maxLength: 100, pattern: '\\S', description: 'Not blank.' }),
    phone: Type.Optional(Type.String({ pattern: '^\\+?[0-9. ()-]{7,25}$' })),
    email: text(100),
    address1: text(50),
    address2: text(50),
    date: Type.Optional(Type.String({ format: 'date-time' })),
    postalCode: Type.Optional(Type.Integer()),
    note: text(10_000),
  },
  { $id: 'Contact', xml: { name: 'Contact' } },
);

export const contactMembers = Object.keys(contactSchema.properties);
export const contactIntegers: ReadonlySet<string> = new Set(['id', 'postalCode']);
