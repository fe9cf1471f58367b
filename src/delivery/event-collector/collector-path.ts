const EVENT_PATH = '/services/collector/event';
const ACK_PATH = '/services/collector/ack';

/** The path where events are posted: appended to the connection's own unless it is there already (spec 2 §6). */
export function eventPath(path: string): string {
  const bare = path.replace(/\/+$/, '');
  if (/\/services\/collector\/event(?:\/1\.0)?$/.test(bare)) return bare;
  if (bare.endsWith('/services/collector')) return `${bare}/event`;
  return bare + EVENT_PATH;
}

/** Where the acknowledgements of events posted to the given target are asked for; the query goes along. */
export function ackTarget(eventTarget: string): string {
  return eventTarget.replace(/\/services\/collector\/event(?:\/1\.0)?(?=\?|$)/, ACK_PATH);
}
