/** Where the platform's database listens (spec 2 §4.7). */
const DATABASE_PORT = 25_080;

/** The address with what operators leave out: the platform's port, and `admin` as the database that knows its users. */
export function completeMongoUrl(url: string): string {
  const parts = /^(mongodb(?:\+srv)?:\/\/)(?:([^@/]*)@)?([^/?]*)(\/[^?]*)?(?:\?(.*))?$/.exec(url);
  // The driver says what is wrong with it.
  if (!parts) return url;
  const [, scheme = '', user, hosts = '', path = '/', query = ''] = parts;
  const named = scheme.includes('+srv') ? hosts : hosts.split(',').map(withPort).join(',');
  const parameters = new URLSearchParams(query);
  if (user !== undefined && !parameters.has('authSource')) parameters.set('authSource', 'admin');
  if (isOneNode(scheme, hosts, parameters)) parameters.set('directConnection', 'true');
  const options = parameters.size > 0 ? `?${parameters}` : '';
  return `${scheme}${user === undefined ? '' : `${user}@`}${named}${path}${options}`;
}

/** What may be shown: hosts and database. */
export function shownMongoUrl(url: string): string {
  return url.replace(/^(mongodb(?:\+srv)?:\/\/)(?:[^@/]*@)?([^?]*).*$/, '$1$2');
}

/**
 * An address that names one node means that node: the driver would find the primary behind our back, and the operator would
 * never learn that they sit on another machine. One that names a replica set leaves the choice to the driver.
 */
function isOneNode(scheme: string, hosts: string, parameters: URLSearchParams): boolean {
  return (
    !scheme.includes('+srv') &&
    !hosts.includes(',') &&
    !parameters.has('replicaSet') &&
    !parameters.has('directConnection')
  );
}

function withPort(host: string): string {
  return /:\d+$/.test(host) ? host : `${host}:${DATABASE_PORT}`;
}
