import { Counter, Gauge, type Registry } from 'prom-client';
import type { ConnectionState } from './connection-state.ts';
import type { DeliveryCounts } from './counters.ts';
import type { DeployedDelivery } from './deployed-delivery.ts';

type Label = 'connection' | 'project';
const labelNames: Label[] = ['connection', 'project'];
const circuitStates = ['off', 'closed', 'open', 'half-open'] as const;

/** What a pod tells Prometheus of its connections. The tallies are kept by the engines and read when somebody asks. */
export function registerDeliveryMetrics(
  registry: Registry,
  running: () => Pick<DeployedDelivery, 'connections' | 'logs' | 'deployments'> | undefined,
): void {
  const registers = [registry];
  const states = () => running()?.connections.states() ?? [];
  const named = ({ name, projectName }: ConnectionState) => ({
    connection: name,
    project: projectName ?? '',
  });

  new Gauge({
    name: 'gatehouse_deployment_revision',
    help: 'The revision of its environment that the pod runs.',
    registers,
    collect() {
      this.set(running()?.deployments.revision ?? 0);
    },
  });
  new Counter({
    name: 'gatehouse_delivery_events_total',
    help: 'Events by what became of them; those accepted are the sum of the others and of the pending ones.',
    labelNames: [...labelNames, 'outcome', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const state of states()) {
        for (const [outcome, reason, events] of outcomesOf(state.counters))
          this.inc({ ...named(state), outcome, reason }, events);
      }
    },
  });
  new Counter({
    name: 'gatehouse_log_records_unrouted_total',
    help: 'Log records that came while the connection of their log connector was not deployed, by what became of them.',
    labelNames: ['kind', 'outcome', 'reason'],
    registers,
    collect() {
      this.reset();
      for (const { kind, unrouted } of running()?.logs.states() ?? [])
        for (const [outcome, reason, events] of outcomesOf(unrouted))
          this.inc({ kind, outcome, reason }, events);
    },
  });
  new Counter({
    name: 'gatehouse_delivery_attempts_total',
    help: 'Calls to the target by how they ended.',
    labelNames: [...labelNames, 'result'],
    registers,
    collect() {
      this.reset();
      for (const state of states())
        for (const [result, calls] of Object.entries(state.counters.attempts))
          this.inc({ ...named(state), result }, calls);
    },
  });
  new Counter({
    name: 'gatehouse_delivery_retries_total',
    help: 'Calls that were made again, by the reason.',
    labelNames: [...labelNames, 'reason'],
    registers,
    collect() {
      this.reset();
      for (const state of states())
        for (const [reason, calls] of Object.entries(state.counters.retries))
          this.inc({ ...named(state), reason }, calls);
    },
  });
  new Gauge({
    name: 'gatehouse_delivery_circuit',
    help: '1 for the state that the circuit of the connection is in.',
    labelNames: [...labelNames, 'state'],
    registers,
    collect() {
      this.reset();
      for (const state of states())
        for (const circuit of circuitStates)
          this.set({ ...named(state), state: circuit }, state.state.circuit === circuit ? 1 : 0);
    },
  });
  new Gauge({
    name: 'gatehouse_delivery_pool_connections',
    help: 'Connections to the target, and calls that wait for one.',
    labelNames: [...labelNames, 'state'],
    registers,
    collect() {
      this.reset();
      for (const state of states()) {
        const { busy, idle, connecting, waiting } = state.state.pool;
        for (const [use, count] of Object.entries({ busy, idle, connecting, waiting }))
          this.set({ ...named(state), state: use }, count);
      }
    },
  });
  gauge(
    'gatehouse_delivery_pending_events',
    'Events that are neither delivered nor given up yet.',
    (one) => one.counters.pending,
  );
  gauge(
    'gatehouse_delivery_buffer_bytes',
    'Bytes of the buffer that are in use.',
    (one) => one.state.bufferBytes,
  );
  gauge(
    'gatehouse_delivery_buffer_max_bytes',
    'Bytes that the buffer has.',
    (one) => one.state.bufferMaxBytes,
  );
  gauge(
    'gatehouse_delivery_circuit_openings',
    'How often the circuit opened since the connection was deployed.',
    (one) => one.state.circuitOpenings,
  );

  function gauge(name: string, help: string, read: (state: ConnectionState) => number): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const state of states()) this.set(named(state), read(state));
      },
    });
  }
}

type Outcome = readonly [outcome: string, reason: string, events: number];

function outcomesOf({ accepted, delivered, failedOver, unsent, dropped }: DeliveryCounts): Outcome[] {
  const ends = { accepted, delivered, failed_over: failedOver, unsent };
  return [
    ...Object.entries(ends).map(([outcome, events]): Outcome => [outcome, '', events]),
    ...Object.entries(dropped).map(([reason, events]): Outcome => ['dropped', reason, events]),
  ];
}
