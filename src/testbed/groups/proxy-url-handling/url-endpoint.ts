import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json } from '../../../kernel/catalogue/declarations.ts';
import type { Example } from '../../../kernel/catalogue/endpoint.ts';
import type { RequestView } from '../../../kernel/catalogue/request-view.ts';
import { reportUrl } from '../../content/url-report.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';

export const group = 'Proxy URL Handling';

const nullableBoolean = Type.Union([Type.Boolean(), Type.Null()]);

export const urlReportSchema = Type.Object(
  {
    rawPath: Type.String({ description: 'Exactly as it arrived; one character is one byte.' }),
    decodedPath: Type.String({ description: 'Decoded once, as UTF-8.' }),
    segments: Type.Array(
      Type.Object({
        raw: Type.String(),
        decoded: Type.String(),
        parameters: Type.Array(Type.Array(Type.String())),
      }),
    ),
    rawQuery: Type.Union([Type.String(), Type.Null()]),
    query: Type.Array(Type.Array(Type.String())),
    oddities: Type.Object({
      dotSegments: Type.Boolean(),
      doubleSlash: Type.Boolean(),
      encodedSlash: Type.Boolean(),
    }),
    normalized: Type.Object(
      { dotSegments: nullableBoolean, doubleSlash: nullableBoolean, encodedSlash: nullableBoolean },
      {
        description:
          'Whether it was tidied up on the way: false when it is still there, true when X-Expect-Target had one and none arrived, else null.',
      },
    ),
    verdict: Type.Unknown({ description: 'The target compared with X-Expect-Target, or null.' }),
  },
  { $id: 'UrlReport' },
);

export const urlHeaders = Type.Object({
  'x-expect-target': Type.Optional(
    Type.String({ description: 'The request target that was sent, byte for byte.' }),
  ),
});

interface UrlEndpoint {
  readonly name: string;
  readonly path: string;
  readonly spec?: string;
  readonly summary: string;
  readonly description?: string;
  readonly aliases?: readonly string[];
  readonly examples: readonly Example[];
  /** What this endpoint says beside the report. */
  readonly further?: (request: RequestView) => object;
}

/** An endpoint that answers with the report of its own address. */
export function urlEndpoint({ name, path, further, ...rest }: UrlEndpoint): TestbedEndpoint {
  return endpoint({
    ...rest,
    id: `proxy-url-${name}`,
    group,
    methods: ['GET'],
    path,
    headers: urlHeaders,
    responses: { 200: json('The target as it arrived, taken apart.', urlReportSchema) },
    handle: ({ request }) => reply.json({ ...reportUrl(request), ...further?.(request) }),
  });
}
