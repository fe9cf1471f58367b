/** Document 2, the management plane, restated as data: its statements, and what proves each of them here. */

import { connectionStatements } from './document-2-connections.ts';
import { unsentStatements } from './document-2-unsent.ts';

export interface Proof {
  readonly file: string;
  /** The name of a test in it, or the part of the name that is the same for a table of tests. */
  readonly test: string;
}

export interface Statement {
  readonly section: string;
  readonly says: string;
  readonly provenBy: readonly Proof[];
}

/** What later parts bring. A row leaves this list when it is proven and never returns. */
export const open: readonly string[] = [
  '§2.4 gateway endpoint configuration',
  '§2.5 traffic-log document',
  '§7.1 ApiProxy (name: <name>) is already exist!',
  '§9 version segments under a client route',
];

/** Addresses of §4.1 and §4.2 that the description of a module must hold. */
export const operations: ReadonlyArray<{
  readonly section: string;
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly number[];
}> = [
  { section: '§4.1', method: 'POST', path: '/apiops/auth/token', statuses: [200, 400, 401, 500] },
  { section: '§4.2', method: 'GET', path: '/gateway/management/health', statuses: [200] },
  { section: '§4.2', method: 'GET', path: '/gateway/management/version', statuses: [200] },
];

const auth = 'src/manager/features/tokens/auth.test.ts';
const signIn = 'src/manager/features/tokens/sign-in.test.ts';
const tokens = 'src/manager/features/tokens/tokens.test.ts';
const identify = 'src/manager/security/identify.test.ts';
const guards = 'src/manager/security/guards.test.ts';
const projects = 'src/manager/features/projects/projects.test.ts';
const contracts = 'src/kernel/contracts/error-contracts.test.ts';
const moduleService = 'src/kernel/module/module-service.test.ts';
const modules = 'test/e2e/modules.test.ts';
const diagnostics = 'src/diagnostics/diagnostics.endpoints.test.ts';
const broadcast = 'src/diagnostics/broadcast.test.ts';
const threadWatch = 'src/diagnostics/thread-watch.test.ts';
const podsDiagnosed = 'test/e2e/diagnostics.test.ts';
const cleanup = 'src/maintenance/index-cleanup/index-cleanup.suite.ts';
const cleanupSettings = 'src/maintenance/index-cleanup/configuration.test.ts';
const cleanupFaults = 'src/maintenance/index-cleanup/index-faults.test.ts';
const cleanupProcess = 'test/support/index-cleanup-process.suite.ts';
const cleanupCommand = 'test/e2e/index-cleanup.test.ts';
const by = (file: string, ...tests: readonly string[]): Proof[] => tests.map((test) => ({ file, test }));

export const statements: readonly Statement[] = [
  ...connectionStatements,
  ...unsentStatements,
  {
    section: '§1',
    says: 'the platform has the modules Manager, Worker, Cache, Integration, Portal',
    provenBy: by(
      modules,
      'run as processes of their own on one data folder, and each stops with 0',
      'run all in one process, which says of each where it answers',
    ),
  },
  {
    section: '§1',
    says: 'all of /apiops except the token endpoint needs a personal access token',
    provenBy: [
      ...by(identify, 'unknown paths and methods below /apiops are no way around'),
      ...by(
        'src/manager/features/documentation/documentation.test.ts',
        'every endpoint stands in a group, says who may call it, and under /apiops never leaves it open but to sign in',
      ),
    ],
  },
  {
    section: '§2.1',
    says: 'grant_type, client_id and client_secret are all required; access_token, token_type Bearer and expires_in come back',
    provenBy: by(auth, 'and the token works', 'leaves expires_in out for a token that never expires'),
  },
  {
    section: '§2.2',
    says: 'the envelope has status, resultMessage, resultList and resultCount',
    provenBy: [
      ...by(contracts, 'success is an envelope'),
      ...by(
        projects,
        'a fresh installation has a default project',
        '400 in the envelope, and nothing is written',
      ),
    ],
  },
  {
    section: '§3',
    says: 'a token is refused after its expiry time, enforced at use',
    provenBy: [
      ...by(identify, 'it expires at its time, and says so'),
      ...by(tokens, 'one without expiry never expires, one with expires then'),
    ],
  },
  {
    section: '§3',
    says: 'a token of a locked or disabled owner is refused at once with the body of an unknown token',
    provenBy: [
      ...by(
        identify,
        'a locked, a disabled and a deleted owner are answered byte for byte like an unknown token',
      ),
      ...by(tokens, 'locking or disabling the owner in one process refuses the token in the other at once'),
    ],
  },
  {
    section: '§3',
    says: 'regenerated or revoked by value, that value is refused; other tokens of the account stay valid',
    provenBy: [
      ...by(
        tokens,
        'regenerating refuses the old value at once and keeps name and lifetime',
        'revoking by value ends that value alone, whoever it belongs to',
      ),
      ...by('test/e2e/tokens.test.ts', 'a token revoked through one is refused by the other at once'),
    ],
  },
  {
    section: '§4.1',
    says: 'the body must be a urlencoded form, not JSON',
    provenBy: by(
      auth,
      'is judged by the form alone',
      'no Content-Type at all is invalid_request',
      'JSON that calls itself a form',
    ),
  },
  {
    section: '§4.2',
    says: 'every module answers health and version',
    provenBy: [
      ...by(modules, 'run as processes of their own on one data folder, and each stops with 0'),
      ...by(
        moduleService,
        'health is 503 while a part is gone, in JSON and in text, and 200 again afterwards',
      ),
    ],
  },
  {
    section: '§4.2',
    says: 'Manager 8080, Worker 8091, Cache 8090, Integration 8092, Portal 8080 (32090 on one machine)',
    provenBy: by(modules, 'have the ports of the specification'),
  },
  {
    section: '§5.1',
    says: 'the Bearer prefix is mandatory',
    provenBy: by(
      identify,
      'a valid token with its prefix is let in, with and without the trailing slash',
      'is an empty key',
      'a token in the query or in the body is an empty key',
    ),
  },
  {
    section: '§5.2',
    says: 'an account may hold several tokens at once; each request is judged by the one it presents',
    provenBy: by(auth, 'gets a token beside those the account has'),
  },
  {
    section: '§5.3',
    says: 'wrong user name, wrong password, locked and disabled account give the same status, body and headers',
    provenBy: [
      ...by(auth, 'unknown user, wrong password, locked and disabled get the same status, headers and bytes'),
      ...by(
        signIn,
        'every refusal costs one hash and the same reads and writes',
        'refusals take the same time, whatever their reason',
      ),
    ],
  },
  {
    section: '§5.3',
    says: 'too many failed sign-ins lock the account; the reason is only in the login journal',
    provenBy: by(
      auth,
      'five failures in a row lock, for fifteen minutes; a success in between starts over',
      'unknown user, wrong password, locked and disabled get the same status, headers and bytes',
    ),
  },
  {
    section: '§7.1',
    says: '400 for what is missing, not found, not permitted or a duplicate',
    provenBy: [
      ...by(contracts, 'is a 400 with its text'),
      ...by(projects, '400 in the envelope, and nothing is written'),
    ],
  },
  {
    section: '§7.1',
    says: 'Empty Key! Client must be authenticated to access this resource.',
    provenBy: by(identify, 'Empty Key! Client must be authenticated to access this resource.'),
  },
  {
    section: '§7.1',
    says: 'Token is not valid!',
    provenBy: by(identify, 'Token is not valid!'),
  },
  {
    section: '§7.1',
    says: 'Token was expired!',
    provenBy: by(identify, 'Token was expired!'),
  },
  {
    section: '§7.1',
    says: 'projectName value can not be empty!',
    provenBy: by(projects, 'projectName value can not be empty!'),
  },
  {
    section: '§7.1',
    says: 'Project (<name>) is not found!',
    provenBy: by(projects, 'Project (none) is not found!'),
  },
  {
    section: '§7.1',
    says: 'User does not have required permission for this operation!',
    provenBy: by(identify, 'User does not have required permission for this operation!'),
  },
  {
    section: '§7.1',
    says: '500 for what is unexpected, in the envelope',
    provenBy: by(contracts, 'an unexpected error says nothing of the inside'),
  },
  {
    section: '§7.2',
    says: '400 unsupported_grant_type, GrantType value must be client_credentials!',
    provenBy: by(auth, 'unsupported_grant_type', 'GrantType value must be client_credentials!'),
  },
  {
    section: '§7.2',
    says: '401 unauthorized_client, Bad credentials, in a body that satisfies both forms',
    provenBy: [
      ...by(auth, 'Bad credentials'),
      ...by(contracts, 'a 401 satisfies both forms the specification states'),
    ],
  },
  {
    section: '§7.2',
    says: '500 server_error, An unexpected error occurred',
    provenBy: [
      ...by(auth, 'what nobody foresaw is server_error, and its cause stands in the log alone'),
      ...by(contracts, 'an unexpected error is server_error in the words of the specification'),
    ],
  },
  {
    section: '§7.3',
    says: 'problem bodies have type, path, status and errorKey',
    provenBy: [
      ...by(contracts, 'names path, errorKey and message'),
      ...by(identify, 'other contracts refuse with 403 and a stable key'),
    ],
  },
  {
    section: '§7.3',
    says: 'newer bodies have correlationId and errorKey; a missing or inaccessible object is always 404',
    provenBy: [
      ...by(contracts, 'carries errorKey, details, and a correlation id that the log knows'),
      ...by(
        'src/manager/features/settings/settings.test.ts',
        'a category that does not exist is 404 and names those that do',
      ),
      ...by(tokens, 'deleting ends it; those of others are not there'),
    ],
  },
  {
    section: '§8',
    says: 'rate limits of the management API are not shown: ours are generous and tell nothing of accounts',
    provenBy: by(
      guards,
      'a 429 depends on the attempted name alone, not on whether there is such an account',
      'requests without a valid token are told to wait; valid tokens of the same address are not',
    ),
  },
  {
    section: '§9',
    says: 'older management endpoints use the envelope, newer ones the common contract',
    provenBy: by(
      'test/conformance/document-2.test.ts',
      'each endpoint under /apiops names the one contract it speaks',
    ),
  },
  {
    section: '§4.3',
    says: 'each module has exactly the diagnostics of its column, and a name it does not have is 404',
    provenBy: by(diagnostics, 'alone', 'is not there', 'a name that nobody has is not there'),
  },
  {
    section: '§4.3',
    says: 'jvm: memory, heap and non-heap, garbage collection',
    provenBy: [
      ...by(diagnostics, 'jvm: heap, spaces, collections and event loop'),
      ...by('src/diagnostics/process-probe.test.ts', 'counts collections by kind, with their time'),
    ],
  },
  {
    section: '§4.3',
    says: 'threads: thread count, states, pool usage',
    provenBy: by(
      diagnostics,
      'threads: as many states as threads, and the pool of libuv',
      'threads: executors that registered themselves',
    ),
  },
  {
    section: '§4.3',
    says: 'threaddump: stack traces of all threads',
    provenBy: [
      ...by(
        threadWatch,
        'names the function of a busy loop in the main thread, and who called it',
        'names the function of a busy loop in a worker thread',
        'lists the threads that run no JavaScript too',
      ),
      ...by(
        podsDiagnosed,
        'names in its thread dump the functions that keep main thread and worker thread busy',
      ),
    ],
  },
  {
    section: '§4.3',
    says: 'connections: HTTP connections, pool states, backend connections',
    provenBy: [
      ...by(diagnostics, 'connections: this very one is active, and pools count too'),
      ...by('src/kernel/listener.test.ts', 'connections are told apart by whether a request is on them'),
    ],
  },
  {
    section: '§4.3',
    says: 'env: environment variables, system properties',
    provenBy: [
      ...by(diagnostics, 'env: variables and properties, none of them the id that opened it'),
      ...by('src/diagnostics/secret-masking.test.ts', 'is masked by its name', 'is masked by its form'),
    ],
  },
  {
    section: '§4.3',
    says: 'health: health, uptime, basic system information',
    provenBy: by(diagnostics, 'health: what the module needs, and memory, threads and connections'),
  },
  {
    section: '§4.3',
    says: 'datagrid: data grid cluster, cache statistics, map metrics',
    provenBy: by(
      'src/cache/service.test.ts',
      'holds the maps in the pod that started first; the next one takes over, empty, when that stops',
      'serves the grid that it shares with the process, and leaves it open',
    ),
  },
  {
    section: '§4.3',
    says: 'heapdump: a binary .hprof file of the addressed pod; it does not use internal and does not broadcast',
    provenBy: [
      ...by(
        'src/diagnostics/heap-dump.endpoint.test.ts',
        'is an HPROF file of this very process, named after the pod and the time',
        'is V8’s own snapshot when that is asked for; internal changes nothing',
      ),
      ...by(
        'src/diagnostics/hprof/convert.test.ts',
        'has exactly 12,345 instances of the class with three fields',
      ),
    ],
  },
  {
    section: '§4.3',
    says: 'all: everything except heapdump',
    provenBy: by(diagnostics, 'all holds everything the module has'),
  },
  {
    section: '§4.3',
    says: 'internal=true: only the addressed pod answers; false or absent: all other pods are asked too',
    provenBy: [
      ...by(diagnostics, 'answers with the'),
      ...by(
        podsDiagnosed,
        'every worker answers for all workers of its environment, whichever is asked',
        'internal=true is about the addressed pod alone',
      ),
      ...by(broadcast, 'asks each other pod once, as one that must not ask further'),
    ],
  },
  {
    section: '§4.3',
    says: 'broadcast results carry pods with podName, heap used and max, threadDump, active and idle connections',
    provenBy: [
      ...by(
        podsDiagnosed,
        'each pod has its own thread dump and connections in what all of them tell',
        'a pod that was killed appears with its error, and is gone once its heartbeat is too old',
      ),
      ...by(broadcast, 'appears with its error, and the others are there'),
    ],
  },
  {
    section: '§5.4',
    says: 'diagnostics need the raw environment identifier; a mismatch or missing value gives 401',
    provenBy: [
      ...by(diagnostics, 'is refused with 401', 'the id alone is taken'),
      ...by(podsDiagnosed, 'the id of one environment opens no pod of another'),
    ],
  },
  {
    section: '§7.3',
    says: 'diagnostics answer 401 on environment identifier mismatch, as a problem',
    provenBy: by(diagnostics, 'is refused with 401'),
  },
  {
    section: '§8',
    says: 'heap and thread dumps load the pod; low-traffic hours are advised',
    provenBy: [
      ...by(diagnostics, 'is said in the descriptions', 'is said in the answer to'),
      ...by(
        'src/diagnostics/heap-dump.endpoint.test.ts',
        'is an HPROF file of this very process, named after the pod and the time',
      ),
    ],
  },
  // §4.6: the suite runs on the embedded log index, and on OpenSearch in test/engines.
  {
    section: '§4.6',
    says: 'the configuration table: names, values and defaults',
    provenBy: [
      ...by(
        cleanupSettings,
        'have the names and defaults of the specification',
        'come by flag too, and a flag wins',
        'that are empty count as not set',
      ),
      ...by(cleanupCommand, 'has a help text that names every setting and every exit code'),
    ],
  },
  {
    section: '§4.6',
    says: 'https adds the insecure-certificate option',
    provenBy: by(
      cleanupFaults,
      'is believed whatever its certificate is, with a warning and the insecure option',
      'is verified with a CA file',
    ),
  },
  {
    section: '§4.6',
    says: 'without a user no credentials are used; a user without a password is asked for it',
    provenBy: [
      ...by(
        cleanupFaults,
        'wants a user: the password is sent, and never shown',
        'wants a password that is asked for without showing it; without a terminal that is an error',
      ),
      ...by(cleanupSettings, 'leave the password to be asked for, or take it from a file, never from a flag'),
      ...by('src/log-index/client.test.ts', 'sends no credentials without a user'),
    ],
  },
  {
    section: '§4.6 rule 1',
    says: 'exactly one operation; both or neither is an error',
    provenBy: by(cleanupSettings, 'both operations', 'no operation'),
  },
  {
    section: '§4.6 rule 2',
    says: 'invalid or empty settings, and one end of a period, are errors',
    provenBy: [
      ...by(
        cleanupSettings,
        'no host',
        'no protocol',
        'another protocol',
        'no index',
        'another mode',
        'another proxy field',
        'a start alone',
        'an end alone',
      ),
      ...by(cleanupCommand, 'tells by its exit code: 0 done or nothing to do, 1 failed, 2 configuration'),
    ],
  },
  {
    section: '§4.6 rule 2',
    says: 'a helper for JSON parsing cannot be missing: the tool parses JSON itself, and refuses answers that are none',
    provenBy: by(cleanupFaults, 'is something else'),
  },
  {
    section: '§4.6 rule 3',
    says: 'no filters means match_all; filters are one bool filter of a term and a range',
    provenBy: [
      ...by(
        cleanupSettings,
        'is everything without filters, and one bool filter of a term and a range with them',
      ),
      ...by(cleanup, 'only documents in it are deleted'),
    ],
  },
  {
    section: '§4.6 rule 4',
    says: 'remove deletes the key; empty sets an empty string; what is unchanged is a noop, and all is the second time',
    provenBy: by(
      cleanup,
      'are removed where they are; documents without them stay untouched, and so does everything the second time',
      'become empty where they are there and are not empty yet',
    ),
  },
  {
    section: '§4.6 rule 5',
    says: 'field names must equal the source keys exactly',
    provenBy: by(
      cleanup,
      'that the mapping does not know are told: a wrong name would make every document a noop',
    ),
  },
  {
    section: '§4.6 rule 6',
    says: 'documents are counted first; 0 is nothing to do, a missing count an error; the answer yes is required',
    provenBy: [
      ...by(
        cleanup,
        'counts, tells the plan with the snapshot advice, and wants the exact answer yes',
        'nothing in scope is nothing to do',
      ),
      ...by(
        cleanupFaults,
        'no count',
        'a count that is no number',
        'a count of some shards',
        'cannot be asked about: no terminal and no SKIP_CONFIRM ends before the first call',
      ),
    ],
  },
  {
    section: '§4.6 rule 7',
    says: 'a dry run changes nothing and prints the query and the script',
    provenBy: by(cleanup, 'a dry run writes nothing at all and prints query and script'),
  },
  {
    section: '§4.6 rule 8',
    says: 'conflicts=proceed, wait_for_completion=true, result files in the working directory',
    provenBy: by(
      cleanup,
      'proceeds at conflicts, waits for completion, and writes its results',
      'as a task of the index has the same result',
    ),
  },
  {
    section: '§4.6 rule 9',
    says: 'a write block is lifted before and restored afterwards',
    provenBy: [
      ...by(
        cleanup,
        'is lifted before and restored after the force merge',
        'is restored when the run fails',
        'cancels the run on the index, restores the block, and says that it is partly done',
        'that a crashed run left lifted is put back by the next run, whatever that run does',
      ),
      ...by(
        cleanupProcess,
        'killed while the block is lifted: the next run puts it back, and finishes the work',
      ),
    ],
  },
  {
    section: '§4.6 rule 10',
    says: 'force merge uses only_expunge_deletes=true; disk space may not be freed immediately',
    provenBy: by(
      cleanup,
      'proceeds at conflicts, waits for completion, and writes its results',
      'makes no force merge when it is told not to',
    ),
  },
  {
    section: '§4.6 rule 11',
    says: 'each executed command is echoed with the password masked',
    provenBy: by(cleanupFaults, 'wants a user: the password is sent, and never shown'),
  },
  {
    section: '§4.6 rule 12',
    says: 'of a data stream the backing index is named, not the stream; the newest receives writes',
    provenBy: by(
      cleanup,
      'are refused with the list of their backing indices',
      'are cleaned by backing index; the newest comes with a warning',
    ),
  },
  {
    section: '§4.6 rule 13',
    says: 'result counters; failures and _shards.failed that are not as expected are told',
    provenBy: [
      ...by(cleanup, 'proceeds at conflicts, waits for completion, and writes its results'),
      ...by(
        cleanupFaults,
        'the result is written, the merge left out, the block restored',
        'fails to merge some shards',
      ),
    ],
  },
  {
    section: '§4.6 rule 14',
    says: 'a snapshot should be taken first; operations are irreversible',
    provenBy: [
      ...by(cleanup, 'counts, tells the plan with the snapshot advice, and wants the exact answer yes'),
      ...by('src/maintenance/index-cleanup/elasticsearch-answers.test.ts', 'lead through a whole run'),
    ],
  },
];

/** What is done with connections, beside reading and writing them. */
const connectionOperations = [
  'name-exist/',
  'test-connection/',
  'import/',
  '{name}/test-connection/',
  '{name}/enable/',
  '{name}/disable/',
  '{name}/deploy/',
  '{name}/undeploy/',
  '{name}/runtime/',
  '{name}/usages/',
  '{name}/move-to-global/',
  '{name}/export/',
];
const newerForConnections = ['/apiops/projects/{project}/connections/', '/apiops/connections/'].flatMap(
  (base) => connectionOperations.map((operation): [string, string] => [`${base}${operation}`, 'newer']),
);

/** Which contract speaks where: by the beginning of the path, the longest that fits. */
export const contractsByPath: Readonly<Record<string, string>> = {
  ...Object.fromEntries(newerForConnections),
  '/apiops/connections/': 'envelope',
  '/apiops/auth/token': 'oauth',
  '/apiops/tokens/': 'newer',
  '/apiops/profile/': 'newer',
  '/apiops/users/': 'problem',
  '/apiops/roles/': 'problem',
  '/apiops/projects/': 'envelope',
  '/apiops/environments/': 'envelope',
  '/apiops/environments/{environment}/log-connectors/': 'newer',
  '/apiops/keystores/': 'envelope',
  '/apiops/truststores/': 'envelope',
  '/apiops/test/': 'envelope',
  '/apiops/settings/': 'newer',
  '/apiops/unsent/': 'newer',
  '/apiops/journals/': 'newer',
};
