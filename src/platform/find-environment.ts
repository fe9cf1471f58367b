import { UsageError } from '../kernel/options.ts';
import { type Environment, environmentCollection } from '../model/environment.ts';
import type { Store, Stored } from '../store/contract.ts';

const MOST_NAMED = 20;

/** The environment a pod belongs to, by name or by id. Names win: an id is random, nobody calls an environment so. */
export async function findEnvironment(store: Store, nameOrId: string): Promise<Stored<Environment>> {
  const environments = store.collection<Environment>(environmentCollection);
  const found = (await environments.findOne({ name: nameOrId })) ?? (await environments.get(nameOrId));
  if (found) return found;
  const known = await environments.list({ orderBy: { member: 'name' }, limit: MOST_NAMED });
  const names = known.map(({ value }) => value.name).join(', ');
  const hint =
    names === '' ? 'there are none yet, the first start of the Manager makes them' : `known are ${names}`;
  throw new UsageError(`environment '${nameOrId}' is not known; ${hint}`);
}
