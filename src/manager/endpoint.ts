import { type Call, type Endpoint, endpointsFor } from '../kernel/catalogue/endpoint.ts';
import type { Caller } from './security/caller.ts';
import type { ManagerServices } from './services.ts';

export type ManagerEndpoint = Endpoint<ManagerServices, Caller>;
export type ManagerCall = Call<ManagerServices, unknown, unknown, unknown, Caller>;

/** Declares one endpoint of the management API. */
export const endpoint = endpointsFor<ManagerServices, Caller>();
