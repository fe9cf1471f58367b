import { type Environment, environmentCollection } from '../../model/environment.ts';
import type { Store, Stored } from '../../store/contract.ts';

/** As a Manager would have made it. */
export function addEnvironment(store: Store, name: string): Promise<Stored<Environment>> {
  return store.collection<Environment>(environmentCollection).insert({
    name,
    description: '',
    type: 'TEST',
    accessUrl: '',
    status: 'UNPUBLISHED',
  });
}
