import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

export interface SecondaryNode extends AsyncDisposable {
  readonly port: number;
}

/** A node of a replica set that is not its primary: it greets as one, answers a ping, and knows who the primary is. */
export async function startSecondaryNode(primary: string | undefined): Promise<SecondaryNode> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= HEADER_BYTES && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        socket.write(answerTo(message, primary));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function answerTo(message: Buffer, primary: string | undefined): Buffer {
  const document = BSON.serialize({
    ok: 1,
    helloOk: true,
    isWritablePrimary: false,
    ismaster: false,
    secondary: true,
    setName: 'rs0',
    hosts: ['10.9.8.7:25080'],
    me: '10.9.8.6:25080',
    ...(primary !== undefined && { primary }),
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(0),
    minWireVersion: 0,
    maxWireVersion: 17,
  });
  const isQuery = message.readInt32LE(12) === OP_QUERY;
  const before = isQuery ? queryReplyHead() : Buffer.alloc(5);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + before.length + document.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, before, document]);
}

/** Flags, cursor, where it begins, and that one document follows. */
function queryReplyHead(): Buffer {
  const head = Buffer.alloc(20);
  head.writeInt32LE(8, 0);
  head.writeInt32LE(1, 16);
  return head;
}
