import type { ExampleRequest } from '../../kernel/catalogue/endpoint.ts';

/** Stands in examples where the caller's token belongs. */
export const ACCESS_TOKEN = '<ACCESS_TOKEN>';

/** A request with a token. */
export const signedIn = { headers: ['Authorization', `Bearer ${ACCESS_TOKEN}`] } as const;

/** A request with a token and a JSON body. */
export function sending(value: unknown): Pick<ExampleRequest, 'headers' | 'body'> {
  return {
    headers: [...signedIn.headers, 'Content-Type', 'application/json'],
    body: JSON.stringify(value),
  };
}

/** What the older contract answers to a mistake of the caller. */
export function refused(resultMessage: string | RegExp) {
  return { status: 400, json: { status: 'FAILURE', resultMessage } } as const;
}
