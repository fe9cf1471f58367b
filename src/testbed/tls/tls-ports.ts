import { setImmediate as nextTurn } from 'node:timers/promises';
import { fault } from '../../kernel/faults.ts';
import { Listener, type ListenerOptions } from '../../kernel/listener.ts';
import { TlsListener } from '../../kernel/tls-listener.ts';
import { HandshakelessServer, withoutCloseNotify } from './broken-servers.ts';
import { everyScenario } from './extra-scenarios.ts';
import type { Material } from './material.ts';
import type { TlsScenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { servingOf } from './serving.ts';

export interface TlsPortsOptions {
  /** 0 lets the system choose each port. */
  readonly basePort: number;
  readonly hasExtras: boolean;
  /** How the ports listen and what they serve: the same as the plain port. */
  readonly listener: Omit<ListenerOptions, 'port'>;
}

/** What handlers see of the scenarios. */
export interface TlsScenarioPorts {
  readonly basePort: number;
  /** An address at which this process reaches its own ports. */
  readonly ownHost: string;
  /** Where the scenario is, or would be, served. */
  portOf(scenario: TlsScenario): number;
  isRunning(scenario: TlsScenario): boolean;
  scenarioAt(port: number): TlsScenario | undefined;
  /** Keys and certificates; a fault while they are being made. */
  material(): Promise<Material>;
}

interface OpenPort {
  readonly scenario: TlsScenario;
  readonly server: Listener | TlsListener | HandshakelessServer;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MAX_HANDSHAKES = 1024;

/** The ports of the TLS scenarios. They listen at once and serve as soon as there are certificates. */
export class TlsPorts implements TlsScenarioPorts {
  readonly basePort: number;
  readonly ownHost: string;
  readonly #open: readonly OpenPort[];
  #material: Material | undefined = undefined;
  #isServing = false;

  private constructor(options: TlsPortsOptions, open: readonly OpenPort[]) {
    this.basePort = options.basePort || open[0]!.server.port;
    this.ownHost = reachable(options.listener.host);
    this.#open = open;
  }

  /** One after the other: processes that share ports chosen by the system must ask for them in the same order. */
  static async listen(options: TlsPortsOptions): Promise<TlsPorts> {
    const open: OpenPort[] = [];
    try {
      for (const scenario of options.hasExtras ? everyScenario : scenarios) {
        open.push({ scenario, server: await listenFor(scenario, options) });
      }
    } catch (error) {
      await Promise.all(open.map(({ server }) => server.stop(0)));
      throw error;
    }
    return new TlsPorts(options, open);
  }

  /** Serves these certificates from now on. */
  async use(material: Material): Promise<void> {
    this.#material = material;
    for (const { scenario, server } of this.#open) {
      if (server instanceof TlsListener) withoutWarnings(() => server.serve(servingOf(scenario, material)));
      // Requests that wait are served in between.
      await nextTurn();
    }
    this.#isServing = true;
  }

  /** `54 ports 20443-20496` */
  get summary(): string {
    const ports = this.#open.map(({ server }) => server.port);
    return `${ports.length} ports ${Math.min(...ports)}-${Math.max(...ports)}`;
  }

  portOf(scenario: TlsScenario): number {
    const open = this.#open.find(({ scenario: { id } }) => id === scenario.id);
    return open?.server.port ?? this.basePort + scenario.number - 1;
  }

  isRunning({ id }: TlsScenario): boolean {
    const open = this.#open.find(({ scenario }) => scenario.id === id);
    return (
      open !== undefined && (this.#isServing || (open.server as { isServing?: boolean }).isServing === true)
    );
  }

  scenarioAt(port: number): TlsScenario | undefined {
    return this.#open.find(({ server }) => server.port === port)?.scenario;
  }

  async material(): Promise<Material> {
    if (!this.#material) throw fault('tls.not-ready', {}, ['Retry-After', '1']);
    return this.#material;
  }

  async stop(deadlineMs: number): Promise<void> {
    await Promise.all(this.#open.map(({ server }) => server.stop(deadlineMs)));
  }
}

async function listenFor(scenario: TlsScenario, options: TlsPortsOptions): Promise<OpenPort['server']> {
  const { basePort, listener } = options;
  const port = basePort === 0 ? 0 : basePort + scenario.number - 1;
  switch (scenario.server) {
    case undefined:
    case 'no-close-notify':
      return TlsListener.start({
        ...listener,
        port,
        handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
        maxHandshakes: MAX_HANDSHAKES,
        ...(scenario.server && { transport: withoutCloseNotify }),
      });
    case 'plain-http':
      return Listener.start({ ...listener, port, knowsNoTls: true });
    default:
      return HandshakelessServer.start(scenario.server, listener.host, port);
  }
}

/** Node warns of weak parameters on standard error, which belongs to the log; here they are on purpose. */
function withoutWarnings(act: () => void): void {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    act();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A server that listens everywhere is reached at the loopback address. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
