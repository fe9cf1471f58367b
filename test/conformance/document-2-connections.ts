import type { Proof, Statement } from './document-2.ts';

/** Webhook connections and log delivery: §2.3, §3, §4.5, §5.5, §6, §7.3, §8 and §9 of document 2. */

/** A row of §2.3 as the description of the API must show it. */
export interface ConnectionField {
  readonly label: string;
  readonly member: string;
  /** Absent where the field is required. */
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly values?: readonly string[];
}

const MB = 1024 * 1024;

export const connectionFields: readonly ConnectionField[] = [
  { label: 'Enabled', member: 'enabled', default: true },
  {
    label: 'HTTP Method',
    member: 'httpMethod',
    values: ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE'],
  },
  { label: 'Full URL', member: 'fullUrl' },
  { label: 'Header list', member: 'headerList', default: [] },
  { label: 'Timeout', member: 'timeout', default: 2, minimum: 1 },
  { label: 'connectTimeoutSeconds', member: 'connectTimeoutSeconds', default: 2, minimum: 1 },
  { label: 'responseTimeoutSeconds', member: 'responseTimeoutSeconds', default: 2, minimum: 1 },
  {
    label: 'connectionRequestTimeoutSeconds',
    member: 'connectionRequestTimeoutSeconds',
    default: 2,
    minimum: 1,
  },
  { label: 'socketTimeoutSeconds', member: 'socketTimeoutSeconds', default: 2, minimum: 1 },
  { label: 'writeStallTimeoutSeconds', member: 'writeStallTimeoutSeconds', default: 30 },
  {
    label: 'Connections Per Host',
    member: 'connectionPoolMaxConnectionPerHost',
    default: 24,
    minimum: 1,
  },
  { label: 'Total Pool Connections', member: 'connectionPoolMaxConnectionTotal', default: 48, minimum: 1 },
  { label: 'Trust Store', member: 'trustStoreName', default: null },
  { label: 'Key Store', member: 'keyStoreName', default: null },
  { label: 'Verify Hostname', member: 'verifyHostname', default: false },
  { label: 'Batch Enabled', member: 'batchEnabled', default: false },
  { label: 'Batch Max Events', member: 'batchMaxEvents', default: 100 },
  { label: 'Batch Max Bytes', member: 'batchMaxBytes', default: MB },
  { label: 'Batch Max Delay', member: 'batchMaxDelayMs', default: 200 },
  { label: 'Batch Buffer Memory', member: 'batchBufferMemoryBytes', default: 32 * MB },
  { label: 'Gzip Enabled', member: 'gzipEnabled', default: false },
  { label: 'Producer Throttle', member: 'producerThrottleMs', default: 100, maximum: 2000 },
  { label: 'Max Retry Count', member: 'maxRetryCount', default: 1 },
  { label: 'Retry Backoff', member: 'retryBackoffMs', default: 200 },
  { label: 'Max Retry-After', member: 'maxRetryAfterSeconds', default: 5 },
  { label: 'Retry Non-Idempotent', member: 'retryNonIdempotent', default: false },
  { label: 'Event-collector mode enabled', member: 'eventCollectorEnabled', default: false },
  { label: 'Index', member: 'eventCollectorIndex', default: '' },
  { label: 'Sourcetype', member: 'eventCollectorSourcetype', default: '' },
  { label: 'Source', member: 'eventCollectorSource', default: '' },
  { label: 'Host', member: 'eventCollectorHost', default: '' },
  { label: 'Use ACK', member: 'useAck', default: false },
  { label: 'ACK Timeout', member: 'ackTimeoutSeconds', default: 30 },
  { label: 'Max ACK Resend', member: 'maxAckResend', default: 2 },
  // Empty inherits the default of the installation, which is off, 5 and 30.
  { label: 'Circuit Breaker Enabled', member: 'circuitBreakerEnabled', default: null },
  {
    label: 'Error Threshold Value',
    member: 'errorThresholdValue',
    default: null,
    minimum: 1,
    maximum: 10_000,
  },
  { label: 'Sleep Window', member: 'sleepWindow', default: null, minimum: 1, maximum: 3600 },
];

const model = 'src/model/connection.test.ts';
const connections = 'src/manager/features/connections/connections.test.ts';
const transfer = 'src/manager/features/connections/transfer/transfer.test.ts';
const archives = 'src/manager/resources/archives/archives.test.ts';
const deployments = 'src/manager/features/deployments/deployments.test.ts';
const settings = 'src/manager/features/settings/settings.test.ts';
const logConnectors = 'src/manager/features/log-connectors/log-connectors.test.ts';
const logDelivery = 'src/manager/features/log-delivery/log-delivery.test.ts';
const engine = 'src/delivery/delivery-engine.test.ts';
const faults = 'src/delivery/delivery-faults.test.ts';
const deliveryTls = 'src/delivery/delivery-tls.test.ts';
const breaker = 'src/delivery/circuit-breaker.test.ts';
const collector = 'src/delivery/event-collector/collector-delivery.test.ts';
const address = 'src/delivery/delivery-address.test.ts';
const host = 'src/delivery/connection-host.test.ts';
const oneShot = 'src/delivery/one-shot.test.ts';
const deliverySettings = 'src/delivery/delivery-settings.test.ts';
const problems = 'src/delivery/problem-journal.test.ts';
const timeouts = 'src/http1/client/client-timeouts.test.ts';
const deployed = 'test/e2e/deployment.test.ts';
const delivered = 'test/e2e/delivery.test.ts';
const by = (file: string, ...tests: readonly string[]): Proof[] => tests.map((test) => ({ file, test }));

export const connectionStatements: readonly Statement[] = [
  {
    section: '§2.3',
    says: 'each field has its default, its bounds and its rule',
    provenBy: by(
      model,
      'stands in the table below',
      'has its default, its bounds and its rule',
      'httpMethod is required and one of eight',
      'fullUrl is required',
    ),
  },
  {
    section: '§2.3',
    says: 'Name: unique, no leading space, no special characters; a duplicate is nameExist and saving is refused',
    provenBy: by(
      connections,
      'is unique within its project: the name is free in others and for all',
      'of two that are made at once under one name one wins',
      'answers nameExist for the names of this project alone',
      'a name with a leading space',
      'a name with special characters',
    ),
  },
  {
    section: '§2.3',
    says: 'Description: at most 1000 characters; Enabled: true',
    provenBy: by(model, 'a description has at most 1000 characters, and enabled is true unless said'),
  },
  {
    section: '§2.3',
    says: 'Environment: one parameter set per environment',
    provenBy: by(
      connections,
      'has one set of parameters for each environment; a change of one leaves the others',
    ),
  },
  {
    section: '§2.3',
    says: 'Enabled: disabled keeps the configuration, but the connection cannot be used',
    provenBy: [
      ...by(engine, 'refuses events with its own reason, without any contact'),
      ...by(
        delivered,
        'a disabled connection refuses records with a reason of its own, counted, without contact',
      ),
    ],
  },
  {
    section: '§2.3',
    says: 'Full URL: query parameters and placeholders allowed',
    provenBy: [
      ...by(model, 'may be saved'),
      ...by(
        address,
        'variables of the environment are fixed, the rest comes from each record, which cannot replace them',
      ),
      ...by(oneShot, 'an unresolved placeholder is an error before any contact'),
    ],
  },
  {
    section: '§2.3',
    says: 'Header list: name and value of each row must be filled or saving is blocked',
    provenBy: by(model, 'block saving', 'that are filled may be saved, as many as wanted'),
  },
  {
    section: '§2.3',
    says: 'the timeouts fall back to Timeout when empty; the write stall does not, and 0 or negative disables it',
    provenBy: [
      ...by(model, 'falls back to timeout when empty, not when left out', 'whatever timeout says'),
      ...by(deliverySettings, 'empty timeouts take the value of timeout, except the write stall'),
    ],
  },
  {
    section: '§2.3',
    says: 'each of the five timeouts is kept, with an error of its own',
    provenBy: by(
      timeouts,
      'ends the wait for a connection',
      'ends a handshake that stands still',
      'ends the sending of a body that nobody reads',
      'ends the wait for the head of the answer',
      'ends an answer that stops',
      'an upload that stands still goes on with a write timeout of',
    ),
  },
  {
    section: '§2.3',
    says: 'Trust Store none: the certificate is not verified and a warning is logged; Verify Hostname; Key Store: mutual TLS',
    provenBy: [
      ...by(engine, 'https without a trust store and a total below one host are told once'),
      ...by(deliveryTls, 'a key store gives the client certificate of mutual TLS'),
      ...by(oneShot, 'a certificate of another name', 'an untrusted certificate'),
    ],
  },
  {
    section: '§2.3',
    says: 'Batch Enabled off: one HTTP call per event; Gzip compresses the batch request body',
    provenBy: [
      ...by(
        engine,
        'batch off: one call for each event, the bare record as JSON, never compressed',
        'a batch is compressed once and sent again as it is',
      ),
      ...by(deliverySettings, 'single records are not compressed'),
    ],
  },
  {
    section: '§2.3',
    says: 'Max Retry Count counts after the first failure; Max Retry-After caps what 429 and 503 ask for; non-idempotent only if allowed',
    provenBy: [
      ...by(
        engine,
        'a passing failure is tried again after the backoff, without holding a place meanwhile',
        'retries end after their count, and the event is dropped by its reason',
      ),
      ...by('src/delivery/retry-schedule.test.ts', 'delay before a retry:'),
      ...by('src/delivery/classify.test.ts', 'when the call must not be repeated'),
      ...by(faults, 'a storm of 429 is waited out'),
    ],
  },
  {
    section: '§2.3',
    says: 'empty circuit breaker fields use the default of Logging & Monitoring, Connector Circuit Breaker',
    provenBy: [
      ...by(
        model,
        'empty circuit breaker fields take the default of the installation, each by itself',
        'nothing set: the circuit breaker is off, with 5 failures and 30 seconds',
      ),
      ...by(settings, 'the circuit breaker of connections has the defaults of the specification'),
    ],
  },
  {
    section: '§2.3',
    says: 'TLS 1.2 and 1.3 only',
    provenBy: [...by(model, "['SSLv3'], ['TLSv1'], ['TLSv1.1']"), ...by(deliverySettings, 'TLS versions')],
  },
  {
    section: '§3',
    says: 'disabling keeps the configuration and makes the connection unusable; enabling makes it usable again',
    provenBy: [
      ...by(deployed, 'disabling reaches the pods at once; Test Connection still works'),
      ...by(connections, 'learns at once that a connection was switched off or on, whichever way'),
      ...by(
        delivered,
        'a disabled connection refuses records with a reason of its own, counted, without contact',
      ),
    ],
  },
  {
    section: '§3',
    says: 'the circuit opens when the threshold is reached within the error window; then the endpoint is not contacted',
    provenBy: [
      ...by(
        breaker,
        'one failure less than the threshold leaves it closed, the next opens it',
        'the window slides: old failures make room for new ones',
      ),
      ...by(faults, 'an open circuit opens no socket; exactly one after the sleep window, for many events'),
    ],
  },
  {
    section: '§3',
    says: 'events of an open circuit go to the failover connection, else they are dropped and counted',
    provenBy: [
      ...by(engine, 'what cannot be delivered goes to the failover, bare and with its time, once'),
      ...by(delivered, 'the circuit of one pod opens, and neither the other pod nor the target notices'),
    ],
  },
  {
    section: '§3',
    says: 'after the sleep window a single attempt closes the circuit, or opens it for another sleep window',
    provenBy: [
      ...by(
        breaker,
        'after the sleep window exactly one of many callers gets through',
        'a probe that succeeds closes the circuit, and old failures no longer count',
        'waits another whole sleep window',
      ),
      ...by(delivered, 'after the sleep window a single attempt closes the circuit'),
    ],
  },
  {
    section: '§3',
    says: 'circuit state is evaluated per pod independently',
    provenBy: by(
      delivered,
      'the circuit of one pod opens, and neither the other pod nor the target notices',
      'a pod that is killed is named, the other goes on, and one that comes back has a circuit of its own',
    ),
  },
  {
    section: '§4.5',
    says: 'Name check: a duplicate name returns nameExist=true and saving is refused',
    provenBy: by(connections, 'answers nameExist for the names of this project alone'),
  },
  {
    section: '§4.5',
    says: 'Test Connection runs on a worker of the environment, contacts the real endpoint, before saving too',
    provenBy: [
      ...by(
        deployed,
        'Test Connection contacts the real endpoint once, from a pod, with the stored secret',
        'Test Connection tells in which phase it failed, and how that is classified',
      ),
      ...by(connections, 'runs in the chosen environment with the defaults of what is left out'),
    ],
  },
  {
    section: '§4.5',
    says: 'Save and Deploy saves and activates the connection for the environment',
    provenBy: [
      ...by(
        deployed,
        'Save and Deploy answers with a result of each pod, and contacts nobody',
        'a change reaches the pods with the next deployment, not before',
        'a pod that was killed is in the result with what went wrong; the other one runs the revision',
        'without a live pod deploying is refused, and nothing is changed by it',
      ),
      ...by(connections, 'follows a save that asks for it: to the environment saved, or to those named'),
    ],
  },
  {
    section: '§4.5',
    says: 'Delete removes the connection, and is refused while something uses it unless forced',
    provenBy: [
      ...by(deployed, 'deleting works without pods, and those that start later do not get the connection'),
      ...by(connections, 'is not deleted unless forced, and names its users'),
      ...by(logConnectors, 'names them as its users, and is deleted only by force'),
    ],
  },
  {
    section: '§4.5',
    says: 'Move to Global makes the connection usable by all projects',
    provenBy: by(connections, 'takes the connection from its project to all of them, with its secrets'),
  },
  {
    section: '§4.5',
    says: 'Export: a ZIP with connection, metadata and dependencies, named by date and connection',
    provenBy: by(
      transfer,
      'has manifest, connection, metadata and what it depends on',
      'is named by its date and the connection',
      'holds no secret, no private key, no password, no id',
    ),
  },
  {
    section: '§4.5',
    says: 'Import checks format, name conflict and dependencies before confirming; both file-name forms are taken',
    provenBy: [
      ...by(
        transfer,
        'tells the name, what is missing here and which secrets have to be given',
        'finds the namesake, and what is here',
        'takes the file as',
        'a file that was tampered with is refused:',
      ),
      ...by(
        archives,
        'a path that leads out',
        'a symbolic link',
        'an encrypted file',
        'a file beyond its bound',
      ),
    ],
  },
  {
    section: '§4.5',
    says: 'a name conflict: overwrite or new name; missing dependencies: create them first or exclude them',
    provenBy: by(
      transfer,
      'under a taken name overwrites, or takes a new name, or is refused',
      'waits for the decision about what is missing',
      'leaves out what is excluded',
      'creates the trust store, and exports the same again',
    ),
  },
  {
    section: '§4.5',
    says: 'a changed connection affects its users after redeployment',
    provenBy: [
      ...by(
        deployments,
        'needs another deployment when anything that it was made of has changed, and only then',
      ),
      ...by(host, 'go on counting when they are deployed anew, and what the old engine holds is delivered'),
    ],
  },
  {
    section: '§5.5',
    says: 'authorization headers of the header list are added to each outbound call; mutual TLS uses the key store',
    provenBy: [
      ...by(engine, 'configured headers go before ours'),
      ...by(deployed, 'Test Connection contacts the real endpoint once, from a pod, with the stored secret'),
      ...by(deliveryTls, 'a key store gives the client certificate of mutual TLS'),
      ...by(host, 'use their trust store and key store'),
    ],
  },
  {
    section: '§6',
    says: 'log delivery sends traffic, token and audit records through a webhook connection',
    provenBy: [
      ...by(
        'src/delivery/log-router.test.ts',
        'send the records of each kind through their connection, and those of no other',
      ),
      ...by(
        logDelivery,
        'of a token has who, how it ended, its type, issue and expiry',
        'of a change has time, user, action and object; what it was and became stays in the journal',
        'holds no request up and fails none while the target hangs and the buffer is full',
      ),
      ...by(delivered, "the Manager's token and audit records reach the collector and are acknowledged"),
    ],
  },
  {
    section: '§6',
    says: 'a batch body is newline-delimited JSON; event count, byte size or delay flushes first',
    provenBy: by(
      engine,
      'a batch is closed by the count of its events',
      'a batch is closed by the delay, counted from its first event',
      'an event that would make a batch too large closes it first, and one too large for any goes alone',
    ),
  },
  {
    section: '§6',
    says: 'event-collector mode: envelope, /services/collector/event, a fixed channel header per connection',
    provenBy: [
      ...by(
        collector,
        'records travel in the envelope, one object a line, with one channel, and count as queued',
        'the name of the channel header is a setting, and a configured one of that name gives way',
      ),
      ...by(address, 'events for a collector at'),
      ...by(
        'src/delivery/encode.test.ts',
        'a channel is a UUID that stays, and another one for every connection, environment and pod',
      ),
    ],
  },
  {
    section: '§6',
    says: 'a 200 without Use ACK means queued; with it a batch is resent, then goes to failover, else is dropped',
    provenBy: by(
      collector,
      'records travel in the envelope, one object a line, with one channel, and count as queued',
      'a batch without acknowledgement is sent again; the id of the first sending still counts',
      'never acknowledged: sent again as often as allowed, then to the fallback',
    ),
  },
  {
    section: '§6',
    says: 'buffer full: the sender waits Producer Throttle, the hot path 50 ms at most, then failover, else drop',
    provenBy: by(
      engine,
      'a full buffer holds an awaiting producer for the whole throttle, then drops',
      'the hot path is held for 50 ms at most',
      'a waiting producer gets in as soon as there is room',
      'a full line refuses at once, each event by its own reason, and hands its places to a successor',
    ),
  },
  {
    section: '§6',
    says: 'connection, timeout and authentication errors reach the message journal and the deploymentResult log',
    provenBy: [
      ...by(
        problems,
        'problems reach the message journal, and those with the target the deployment journal too',
      ),
      ...by('src/delivery/deployed-delivery.test.ts', 'tells both journals once of a target that'),
      ...by(
        delivered,
        'errors of connections stand in the message and the deployment journal, once and without secrets',
      ),
    ],
  },
  {
    section: '§7.3',
    says: 'webhook troubleshooting tells 4xx, 5xx, timeout, authentication failed and pool exhausted apart',
    provenBy: [
      ...by(
        oneShot,
        "['target-4xx', 'status-404', 'status']",
        "['target-5xx', 'status-503', 'status']",
        "['target-5xx', 'status-429', 'status']",
        "['target-5xx', 'tls-issuer-unknown', 'tls']",
        "['timeout', 'response-timeout', 'response']",
        "['authentication-failed', 'status-401', 'status']",
        'an exhausted pool is told from a slow target',
        'in the phase dns',
      ),
      ...by(deployed, 'Test Connection tells in which phase it failed, and how that is classified'),
    ],
  },
  {
    section: '§8',
    says: 'an event above the recommended 200 KB is sent, counted and told once',
    provenBy: by(engine, 'an event above 200 KB is sent, counted, and told once'),
  },
  {
    section: '§8',
    says: 'the header table has no row limit: 500 rows are saved, exported and sent',
    provenBy: [
      ...by(connections, 'with 500 header rows is saved and shown whole'),
      ...by(transfer, 'carries 500 header rows'),
      ...by(host, 'send 500 header rows, each as it was given and in its place'),
    ],
  },
  {
    section: '§8',
    says: 'a total pool below per-host is raised to the per-host value at run time with a WARN',
    provenBy: [
      ...by(model, 'at run time'),
      ...by(engine, 'https without a trust store and a total below one host are told once'),
    ],
  },
  {
    section: '§9',
    says: 'existing connections keep their values after an upgrade; new options default to off',
    provenBy: [
      ...by(model, 'a document of an older release keeps its values; what came later is off'),
      ...by(connections, 'of an older release reads with the defaults of today, and keeps its values'),
      ...by(transfer, 'an export of an older release that lacks members is taken with their defaults'),
    ],
  },
];
