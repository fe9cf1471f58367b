import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type ChannelOptions,
  type Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { protoFileNames } from '../proto-files.ts';

const definitions = loadSync([...protoFileNames], {
  includeDirs: [fileURLToPath(new URL('../protos', import.meta.url))],
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
});

/** A message as the client library shows it. */
// biome-ignore lint/suspicious/noExplicitAny: the library makes its clients and messages at run time.
export type Loose = any;

/** An independent client of one of our services. */
export function grpcClient(
  port: number,
  serviceName: string,
  options: ChannelOptions = {},
  channelCredentials = credentials.createInsecure(),
): Client & Loose {
  const clientClass = serviceName
    .split('.')
    .reduce((level: Loose, name) => level[name], loadPackageDefinition(definitions));
  return new (clientClass as ServiceClientConstructor)(
    `127.0.0.1:${port}`,
    channelCredentials,
    // A connection of its own, so that what one test does to it reaches no other.
    { 'grpc.use_local_subchannel_pool': 1, ...options },
  );
}

export function metadataOf(entries: Readonly<Record<string, string | Buffer>>): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(entries)) metadata.add(key, value);
  return metadata;
}

/** The reply to a unary call; rejects with a ServiceError. */
export function callUnary(
  client: Loose,
  method: string,
  request: object,
  metadata = new Metadata(),
  options: object = {},
): Promise<Loose> {
  return promisify(client[method].bind(client))(request, metadata, options) as Promise<Loose>;
}

/** Every message of a stream, and how it ended. */
export async function collect(
  stream: Loose,
): Promise<{ messages: Loose[]; error: ServiceError | undefined }> {
  const messages: Loose[] = [];
  try {
    for await (const message of stream) messages.push(message);
  } catch (error) {
    return { messages, error: error as ServiceError };
  }
  return { messages, error: undefined };
}
