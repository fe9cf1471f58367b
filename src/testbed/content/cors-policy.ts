import type { RequestView } from '../../kernel/catalogue/request-view.ts';

/** Who may read an answer across origins. */
export interface CorsPolicy {
  /** The value of Access-Control-Allow-Origin for a request of this origin; undefined when it is not let in. */
  readonly allowOrigin: (origin: string | undefined) => string | undefined;
  readonly allowsCredentials?: boolean;
  readonly exposes?: readonly string[];
  /** The answer depends on the origin, so that caches must keep one for each. */
  readonly variesByOrigin: boolean;
}

export interface Preflight {
  readonly method: string;
  /** Null when no header fields were asked for. */
  readonly headers: string | null;
}

const PREFLIGHT_LIFETIME_S = 600;

/** What a preflight asks for (Fetch §4.8); undefined for any other request. */
export function preflightOf({ method, headers }: RequestView): Preflight | undefined {
  const asked = headers.first('access-control-request-method');
  if (method !== 'OPTIONS' || asked === undefined || !headers.has('origin')) return undefined;
  return { method: asked, headers: headers.get('access-control-request-headers') ?? null };
}

/** The CORS fields of an answer. A preflight is granted exactly what it asks for and nothing beside it. */
export function corsFields(policy: CorsPolicy, request: RequestView): string[] {
  const preflight = preflightOf(request);
  const fields: string[] = [];
  const allowed = policy.allowOrigin(request.headers.first('origin'));
  if (allowed !== undefined) {
    fields.push('Access-Control-Allow-Origin', allowed);
    if (policy.allowsCredentials) fields.push('Access-Control-Allow-Credentials', 'true');
    if (preflight) fields.push(...grantOf(preflight, request));
    else if (policy.exposes) fields.push('Access-Control-Expose-Headers', policy.exposes.join(', '));
  }
  const vary = [
    ...(policy.variesByOrigin ? ['Origin'] : []),
    ...(preflight ? ['Access-Control-Request-Method', 'Access-Control-Request-Headers'] : []),
  ];
  if (vary.length > 0) fields.push('Vary', vary.join(', '));
  return fields;
}

function grantOf(preflight: Preflight, { headers }: RequestView): string[] {
  const granted = ['Access-Control-Allow-Methods', preflight.method];
  if (preflight.headers !== null) granted.push('Access-Control-Allow-Headers', preflight.headers);
  if (headers.first('access-control-request-private-network') === 'true') {
    granted.push('Access-Control-Allow-Private-Network', 'true');
  }
  granted.push('Access-Control-Max-Age', String(PREFLIGHT_LIFETIME_S));
  return granted;
}
