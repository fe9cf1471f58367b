import type { TestbedEndpoint } from '../endpoint.ts';
import { description } from './soap/description.ts';
import { echoEndpoints } from './soap/echo.ts';
import { faultByName } from './soap/fault.ts';
import { operationEndpoints } from './soap/operations.ts';
import { secured } from './soap/secured.ts';

/** SOAP 1.1 and 1.2 over HTTP. */
export const soap: readonly TestbedEndpoint[] = [
  description,
  ...echoEndpoints,
  ...operationEndpoints,
  secured,
  faultByName,
];
