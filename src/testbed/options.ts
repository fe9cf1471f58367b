import { defaultLimits, defaultTimeouts } from '../http1/limits.ts';
import { type OptionValues, option } from '../kernel/options.ts';
import { defaultSettings, type TestbedSettings } from './settings.ts';
import { everyScenario } from './tls/extra-scenarios.ts';
import { TLS_BASE_PORT } from './tls/scenario.ts';

const { limits } = defaultSettings;
const MiB = 1024 * 1024;

/** Flags and variables of the test service, beside host and port, which the command names. */
export const testbedOptions = {
  dialect: option.choice('dialect', ['httpbin', 'go'], defaultSettings.dialect, {
    description: 'shape of the httpbin-compatible answers',
  }),
  public: option.switch('public', {
    description: 'switch off raw XSS, bombs, unsafe faults and open redirects, for use on an open network',
  }),
  unsafe: option.switch('unsafe', {
    description: 'allow answers that desynchronise a shared proxy connection',
  }),
  noOverlay: option.switch('no-overlay', { description: 'ignore the X-Test-* controls' }),
  authUser: option.text('auth-user', defaultSettings.authUser, {
    description: 'user of the custom authentication group',
  }),
  authPassword: option.text('auth-password', defaultSettings.authPassword, {
    description: 'and its password',
  }),
  digestRealm: option.text('digest-realm', defaultSettings.digestRealm, {
    description: 'realm of digest challenges',
  }),
  allowedRedirectHosts: option.list('allowed-redirect-hosts', {
    description: 'hosts that redirects may leave to with --public',
  }),
  lenientPort: option.integer('lenient-port', -1, {
    description: 'also listen here with the lenient parser, for smuggling probes; -1 is off',
    minimum: -1,
    maximum: 65535,
  }),
  tlsBasePort: option.integer('tls-base-port', TLS_BASE_PORT, {
    description: 'the first port of the TLS scenarios; 0 lets the system choose each of them',
    minimum: 0,
    maximum: 65535 - everyScenario.length,
  }),
  noTls: option.switch('no-tls', { description: 'no TLS ports and no test authority' }),
  noTlsExtras: option.switch('no-tls-extras', { description: 'only the 40 scenarios, not the ones behind' }),
  tlsNames: option.list('tls-names', {
    description: 'further names and addresses of this machine, for the server certificates',
  }),
  proxyProtocol: option.switch('proxy-protocol', {
    description: 'every connection must start with a PROXY protocol header, version 1 or 2',
  }),
  maxBody: option.bytes('limit-max-body', limits.maxBodyBytes, { description: 'largest request body' }),
  maxBodies: option.bytes('limit-max-bodies', 512 * MiB, {
    description: 'what a process keeps of all request bodies together; at least one of the largest',
  }),
  maxVerify: option.bytes('limit-max-verify', limits.maxVerifyBytes, {
    description: 'largest request body of the verify endpoints, which stream',
  }),
  maxDecoded: option.bytes('limit-max-decoded', limits.maxDecodedBytes, {
    description: 'largest request body after decompression',
  }),
  maxHead: option.bytes('limit-max-head', defaultLimits.maxHeadBytes, {
    description: 'largest request head',
  }),
  maxTarget: option.bytes('limit-max-target', 32 * 1024, {
    description: 'longest request target',
  }),
  maxDelay: option.duration('limit-max-delay', limits.maxDelayMs, {
    description: 'longest delay a client may ask for',
  }),
  maxStream: option.bytes('limit-max-stream', limits.maxStreamBytes, {
    description: 'largest generated response body',
  }),
  maxBomb: option.bytes('limit-max-bomb', limits.maxBombBytes, {
    description: 'largest decompressed size of a bomb',
  }),
  maxParts: option.integer('limit-max-parts', limits.maxParts, {
    description: 'most parts of a multipart body',
    minimum: 1,
    maximum: 10_000,
  }),
  maxUploadFolder: option.bytes('limit-max-upload-folder', limits.maxUploadFolderBytes, {
    description: 'all uploaded files together',
  }),
  maxMessages: option.bytes('limit-max-messages', limits.maxMessagesBytes, {
    description: 'what a client may send over one WebSocket or in one gRPC call',
  }),
  maxConnections: option.integer('limit-max-connections', 10_000, {
    description: 'most connections of a process at a time, over all ports; further ones are closed at once',
    minimum: 1,
    maximum: 1_000_000,
  }),
  headTimeout: option.duration('head-timeout', defaultTimeouts.headMs, {
    description: 'time for a request head to arrive; 0 is no limit',
  }),
  bodyTimeout: option.duration('body-timeout', defaultTimeouts.bodyMs, {
    description: 'longest pause within a request body; 0 is no limit',
  }),
  minBodyRate: option.bytes('min-body-rate', defaultTimeouts.minBodyBytesPerSecond, {
    description:
      'bytes a second that a request body must reach beyond its first --body-timeout; 0 is no limit',
  }),
  idleTimeout: option.duration('idle-timeout', defaultTimeouts.idleMs, {
    description: 'longest pause between requests of a connection; 0 is no limit',
  }),
  stallTimeout: option.duration('stall-timeout', defaultTimeouts.answerStallMs, {
    description: 'longest time in which a client takes nothing of its answer; 0 is no limit',
  }),
};

export type TestbedOptionValues = OptionValues<typeof testbedOptions>;

export function settingsFrom(values: TestbedOptionValues): TestbedSettings {
  return {
    dialect: values.dialect,
    isPublic: values.public,
    allowsUnsafe: values.unsafe && !values.public,
    hasOverlay: !values.noOverlay,
    authUser: values.authUser,
    authPassword: values.authPassword,
    digestRealm: values.digestRealm,
    allowedRedirectHosts: values.allowedRedirectHosts,
    limits: {
      maxBodyBytes: values.maxBody,
      maxVerifyBytes: values.maxVerify,
      maxDecodedBytes: values.maxDecoded,
      maxDelayMs: values.maxDelay,
      maxStreamBytes: values.maxStream,
      maxBombBytes: values.maxBomb,
      maxParts: values.maxParts,
      maxUploadFolderBytes: values.maxUploadFolder,
      maxMessagesBytes: values.maxMessages,
    },
  };
}
