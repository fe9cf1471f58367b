import type { GridCluster, GridMember } from '../contract.ts';
import type { RedisAddress } from './redis-address.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Who holds the data, as the servers themselves tell it. */
export async function reportRedisCluster(
  connection: RedisConnection,
  { isCluster }: RedisAddress,
): Promise<GridCluster> {
  const [node] = await connection.primaries();
  if (!isCluster) {
    const role = (await node!.send(['ROLE'])) as unknown[];
    return { engine: 'redis', state: 'ok', members: membersOfRole(node!.address, role) };
  }
  const [info, nodes] = await Promise.all([
    node!.send(['CLUSTER', 'INFO']),
    node!.send(['CLUSTER', 'NODES']),
  ]);
  const isOk = /^cluster_state:ok\s*$/m.test(String(info));
  const { members, hasFailed } = membersOfNodes(String(nodes));
  return { engine: 'redis-cluster', state: isOk && !hasFailed ? 'ok' : 'degraded', members };
}

/** `master, offset, [[host, port, offset], …]` or `slave, host, port, …` */
export function membersOfRole(address: string, role: readonly unknown[]): GridMember[] {
  const member = (at: string, itsRole: GridMember['role']) => ({ address: at, role: itsRole, local: false });
  if (role[0] !== 'master') return [member(address, 'replica'), member(`${role[1]}:${role[2]}`, 'primary')];
  const replicas = role[2] as Array<readonly [string, string]>;
  return [
    member(address, 'primary'),
    ...replicas.map(([host, port]) => member(`${host}:${port}`, 'replica')),
  ];
}

/** One line a node: `id host:port@bus-port flags primary-id …` */
export function membersOfNodes(text: string): { members: GridMember[]; hasFailed: boolean } {
  const members: GridMember[] = [];
  let hasFailed = false;
  for (const line of text.split('\n')) {
    const [, place = '', flagText = ''] = line.split(' ');
    const flags = flagText.split(',');
    const address = place.split(/[@,]/)[0]!;
    if (address === '' || flags.includes('noaddr')) continue;
    if (flags.includes('fail') || flags.includes('fail?')) hasFailed = true;
    members.push({ address, role: flags.includes('master') ? 'primary' : 'replica', local: false });
  }
  return { members: members.sort((one, other) => (one.address < other.address ? -1 : 1)), hasFailed };
}
