import { type EffectiveParameters, effectiveParameters } from '../model/connection.ts';
import type { ConnectionContent } from '../platform/deployment/connection-content.ts';
import type { DeliveryCounts } from './counters.ts';
import type { DeliveryState } from './delivery-engine.ts';

/** What is in force, as far as everybody may know who may see the connection. */
export type ShownParameters = Omit<EffectiveParameters, 'fullUrl' | 'headerList'>;

/** How a deployed connection fares on its pod. */
export interface ConnectionState {
  readonly id: string;
  readonly name: string;
  readonly projectName?: string;
  /** The revision that brought it as it is. */
  readonly revision: number;
  readonly counters: DeliveryCounts;
  readonly state: DeliveryState;
  readonly effectiveParameters: ShownParameters;
}

/** How diagnostics call a connection; those of projects may share their names. */
export function labelOf({ name, projectName }: Pick<ConnectionState, 'name' | 'projectName'>): string {
  return projectName === undefined ? name : `${projectName}/${name}`;
}

/** Address and headers may hold secrets. */
export function shownParameters({ parameters, breakerDefaults }: ConnectionContent): ShownParameters {
  const { fullUrl: _, headerList: __, ...shown } = effectiveParameters(parameters, breakerDefaults);
  return shown;
}
