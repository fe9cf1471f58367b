import type { Exchange } from '../http1/exchange.ts';
import { createDispatcher } from '../kernel/catalogue/dispatcher.ts';
import { buildOpenApi } from '../kernel/catalogue/openapi.ts';
import type { DispatchLog } from '../kernel/catalogue/send-answer.ts';
import { describeAsWadl } from '../kernel/catalogue/wadl.ts';
import type { Clock } from '../kernel/clock.ts';
import { version } from '../kernel/version.ts';
import { testbedCatalogue } from './catalogue.ts';
import { renderTestbedFailure } from './failures.ts';
import { finishAnswer } from './finish.ts';
import { testbedGroups } from './groups.ts';
import { isGrpc } from './grpc/flavour.ts';
import { createGrpcServer } from './grpc/server.ts';
import { recordInJournal } from './journal.ts';
import { applyOverlay } from './overlay.ts';
import { createPage } from './page/page.ts';
import type { TestbedRandom, TestbedServices } from './services.ts';
import type { TestbedSettings } from './settings.ts';
import type { TlsScenarioPorts } from './tls/tls-ports.ts';
import { unservedTls } from './tls/unserved-tls.ts';

export interface TestbedOptions {
  readonly settings: TestbedSettings;
  readonly clock: Clock;
  readonly random: TestbedRandom;
  readonly log: DispatchLog;
  readonly state: TestbedServices['state'];
  readonly uploadFolder: string;
  readonly stopping: AbortSignal;
  readonly contentBudget?: TestbedServices['contentBudget'];
  /** Absent when TLS is switched off. */
  readonly tls?: TlsScenarioPorts;
}

export interface Testbed {
  readonly handle: (exchange: Exchange) => void;
  readonly services: TestbedServices;
  openApi(): object;
}

/** Puts the test service together. */
export function createTestbed({ log, ...given }: TestbedOptions): Testbed {
  const openApi = once(() =>
    buildOpenApi({
      title: 'Gateway Test Service',
      version,
      description: 'A test backend for API gateways and proxies.',
      tags: testbedGroups,
      endpoints: testbedCatalogue,
    }),
  );
  const openApiJson = once(() => `${JSON.stringify(openApi(), null, 2)}\n`);
  const wadl = once(() => describeAsWadl(testbedCatalogue));
  const page = once(() =>
    createPage({ groups: testbedGroups, catalogue: testbedCatalogue, settings: given.settings }),
  );
  const services: TestbedServices = {
    tls: unservedTls,
    ...given,
    descriptions: { openApiJson, wadl: (baseUrl) => wadl()(baseUrl), page },
  };
  const serveCatalogue = createDispatcher({
    endpoints: testbedCatalogue,
    services,
    begin: recordInJournal,
    alter: applyOverlay,
    finish: finishAnswer,
    renderFailure: renderTestbedFailure,
    maxBodyBytes: given.settings.limits.maxBodyBytes,
    log,
  });
  const serveGrpc = createGrpcServer({ services, log });
  const handle = (exchange: Exchange) => (isGrpc(exchange) ? serveGrpc : serveCatalogue)(exchange);
  return { handle, services, openApi };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
