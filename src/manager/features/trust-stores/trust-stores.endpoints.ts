import { storeEndpoints } from '../key-stores/store-endpoints.ts';

export const trustStoreEndpoints = storeEndpoints({
  id: 'trust-store',
  group: 'Trust stores',
  segment: 'truststores',
  noun: 'trust store',
  serviceOf: ({ trustStores }) => trustStores,
});
