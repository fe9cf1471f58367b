/** What a browser will not let a page do (Fetch standard), told before the reader wonders. */
const FORBIDDEN_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK']);
const FORBIDDEN_FIELDS = new Set([
  'accept-charset',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'connection',
  'content-length',
  'cookie',
  'date',
  'dnt',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** Why this request cannot be sent at all; undefined when it can. */
export function impossibility({ method, body, target }) {
  if (FORBIDDEN_METHODS.has(method.toUpperCase()))
    return `Browsers do not send ${method}. The curl line does.`;
  if ((method === 'GET' || method === 'HEAD') && body?.length > 0)
    return `Browsers do not send a body with ${method}. The curl line does.`;
  if (!target.startsWith('/'))
    return 'Browsers send paths only. The curl line sends this target as it stands.';
  return undefined;
}

/** What will be sent otherwise than it is written. */
export function changesByBrowser({ method, headers, target }, url) {
  const changes = [];
  const sent = url.pathname + url.search;
  const dropped = headers.flatMap(([name]) => (isForbidden(name) ? [name] : []));
  if (dropped.length > 0)
    changes.push(`The browser keeps ${dropped.join(', ')} for itself and sends its own, or none.`);
  if (!sent.endsWith(target)) changes.push(`The browser changed the target to ${sent}.`);
  if (/^(?:delete|get|head|options|post|put)$/i.test(method) && method !== method.toUpperCase())
    changes.push(`The browser sends ${method.toUpperCase()}.`);
  return changes;
}

/** Fields that a page cannot set. */
export function isForbidden(name) {
  const lowerName = name.toLowerCase();
  return FORBIDDEN_FIELDS.has(lowerName) || /^(?:proxy|sec)-/.test(lowerName);
}
