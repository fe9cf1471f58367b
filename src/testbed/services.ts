import type { ContentBudget } from '../http1/content-budget.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Random } from '../kernel/random.ts';
import type { SharedState } from '../kernel/shared-state.ts';
import type { TestbedPage } from './page/page.ts';
import type { TestbedSettings } from './settings.ts';
import type { createTestbedState } from './state.ts';
import type { TlsScenarioPorts } from './tls/tls-ports.ts';

/** What the handlers of the test service are given. */
export interface TestbedServices {
  readonly settings: TestbedSettings;
  readonly clock: Clock;
  readonly random: TestbedRandom;
  /** State that all processes of one testbed share. */
  readonly state: SharedState<ReturnType<typeof createTestbedState>>;
  /** Folder for uploaded files; made when first needed. */
  readonly uploadFolder: string;
  /** Aborts when the service stops: connections that would last must then end by themselves. */
  readonly stopping: AbortSignal;
  /** What request bodies take of it messages of WebSockets take too; without it only their own bounds count. */
  readonly contentBudget?: ContentBudget | undefined;
  /** The TLS scenarios and the certificates behind them. */
  readonly tls: TlsScenarioPorts;
  /** The descriptions of the service itself, made from its catalogue. */
  readonly descriptions: Descriptions;
}

export interface TestbedRandom extends Random {
  /** Uniform in [0, 1). */
  float(): number;
}

interface Descriptions {
  /** The OpenAPI document, as JSON text. */
  openApiJson(): string;
  wadl(baseUrl: string): string;
  page(): TestbedPage;
}
