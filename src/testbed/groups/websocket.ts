import type { TestbedEndpoint } from '../endpoint.ts';
import { webSocketEchoes } from './websocket/echoes.ts';
import { webSocketFaultEndpoints } from './websocket/faults.ts';
import { webSocketScripts } from './websocket/scripts.ts';

/** The WebSocket endpoints, which stand under Test Utilities. */
export const webSocket: readonly TestbedEndpoint[] = [
  ...webSocketEchoes,
  ...webSocketScripts,
  ...webSocketFaultEndpoints,
];
