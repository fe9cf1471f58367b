import type { RequestView } from '../catalogue/request-view.ts';

/** Nothing but the files of this service: no inline code, no frames, no other origin. Pictures of answers are blobs. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders: readonly string[] = [
  'Content-Security-Policy',
  PAGE_POLICY,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
];

/** Where the client reaches the service. A Host field that is no plain name is not repeated into the page. */
export function baseUrlOf({ request }: { readonly request: RequestView }): string {
  const authority = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/.test(request.authority)
    ? request.authority
    : 'localhost';
  return `${request.scheme}://${authority}`;
}
