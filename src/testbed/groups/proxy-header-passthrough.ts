import type { TestbedEndpoint } from '../endpoint.ts';
import { messageEndpoints } from './proxy-header-passthrough/messages.ts';
import { originEndpoints } from './proxy-header-passthrough/origin.ts';
import { requestFieldEndpoints } from './proxy-header-passthrough/request-fields.ts';
import { responseFieldEndpoints } from './proxy-header-passthrough/response-fields.ts';
import { verdictEndpoints } from './proxy-header-passthrough/verdicts.ts';

export const proxyHeaderPassthrough: readonly TestbedEndpoint[] = [
  ...verdictEndpoints,
  ...requestFieldEndpoints,
  ...originEndpoints,
  ...responseFieldEndpoints,
  ...messageEndpoints,
];
