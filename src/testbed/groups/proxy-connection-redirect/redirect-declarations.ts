import { Type } from 'typebox';
import { problem, redirect } from '../../../kernel/catalogue/declarations.ts';

export const GROUP = 'Proxy Connection & Redirect';
export const BASE = '/proxy-test/redirect';
export const LANDING = `${BASE}/landing`;
export const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const;
export const redirectResponses = {
  ...Object.fromEntries(REDIRECT_STATUSES.map((code) => [code, redirect()])),
  403: problem('The target is not allowed in public mode.'),
};

export const status = Type.Union(
  REDIRECT_STATUSES.map((code) => Type.Literal(code)),
  { default: 302, description: 'Status of the redirect.' },
);
