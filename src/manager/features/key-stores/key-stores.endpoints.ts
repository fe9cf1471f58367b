import { storeEndpoints } from './store-endpoints.ts';

export const keyStoreEndpoints = storeEndpoints({
  id: 'key-store',
  group: 'Key stores',
  segment: 'keystores',
  noun: 'key store',
  serviceOf: ({ keyStores }) => keyStores,
});
