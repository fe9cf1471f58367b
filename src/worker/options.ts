import { option } from '../kernel/options.ts';

/** Flags and variables of the Worker alone. */
export const workerOptions = {
  refusePrivateTargets: option.switch('refuse-private-targets', {
    description: 'connections may lead to public addresses only',
  }),
};
