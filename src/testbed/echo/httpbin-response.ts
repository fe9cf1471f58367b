import { Type } from 'typebox';

const values = (description: string) =>
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), { description });

/** The answer of the echoes that take a body (spec 1 §2, HttpBinResponse). */
export const httpBinResponse = Type.Object(
  {
    args: values('Query parameters; a repeated one is a list.'),
    data: Type.String({
      description: 'The body: text, or a base64 data URL where it is not UTF-8. Empty for forms.',
    }),
    files: values('Files of a multipart body, by field name.'),
    form: values('Fields of a form.'),
    headers: values('Header fields, names in Title-Case.'),
    json: Type.Unknown({ description: 'The body as JSON, null where it is none.' }),
    method: Type.Optional(Type.String({ description: 'On /anything, and everywhere in the go dialect.' })),
    origin: Type.String({ description: 'Who asked.' }),
    url: Type.String({ description: 'What was asked for.' }),
  },
  { $id: 'HttpBinResponse' },
);
