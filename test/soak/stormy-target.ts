import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import {
  answers,
  hangs,
  type Reaction,
  type ReceivedRequest,
  resets,
  takeRequest,
  writes,
} from '../../src/delivery/testing/faulty-target.ts';
import type { Random } from '../fuzz/random.ts';

/** How a target behaves for some seconds. */
type Weather = 'fair' | 'away' | readonly Reaction[];

const takes = answers(200);
const takesSlowly: Reaction = (request, socket) => {
  setTimeout(() => void takes(request, socket), 100);
};

const weathers: readonly Weather[] = [
  'fair',
  'fair',
  'fair',
  'away',
  [answers(500), answers(503), answers(502)],
  [answers(429, ['Retry-After: 1']), takes, answers(429)],
  [resets(), resets('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'), takes],
  [hangs, takes, takesSlowly],
  [writes('garbage\r\n\r\n'), takes, answers(302, ['Location: /'])],
  [answers(400), answers(413), takes],
  [answers(401), answers(404), takes],
  [writes('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'), takesSlowly, takes],
];

/** A target whose weather changes every few seconds. It knows which events it has taken with a 2xx. */
export class StormyTarget implements AsyncDisposable {
  distinctEvents = 0;
  readonly #random: Random;
  readonly #seen: Uint8Array;
  readonly #server: Server;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #weather: Weather = 'fair';
  #change: NodeJS.Timeout | undefined = undefined;

  private constructor(server: Server, random: Random, maxEvents: number) {
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    this.#random = random;
    this.#seen = new Uint8Array(Math.ceil(maxEvents / 8));
    server.on('connection', (socket) => this.#serve(socket));
    this.#changeSoon();
  }

  static async start(random: Random, maxEvents: number): Promise<StormyTarget> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new StormyTarget(server, random, maxEvents);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#change);
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #changeSoon(): void {
    this.#change = setTimeout(() => {
      this.#weather = this.#random.pick(weathers);
      if (this.#weather === 'away') for (const socket of this.#sockets) socket.destroy();
      this.#changeSoon();
    }, 500 + this.#random.below(3000));
  }

  #serve(socket: Socket): void {
    if (this.#weather === 'away') {
      socket.resetAndDestroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (let request = takeRequest(received); request; request = takeRequest(received)) {
        received = received.subarray(request.length);
        this.#react({ ...request.parts, socketNumber: 0 }, socket);
      }
    });
  }

  #react(request: ReceivedRequest, socket: Socket): void {
    const weather = this.#weather;
    const reaction = typeof weather === 'string' ? takes : this.#random.pick(weather);
    if (reaction === takes || reaction === takesSlowly) this.#note(request);
    void reaction(request, socket);
  }

  #note({ headers, body }: ReceivedRequest): void {
    const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('latin1');
    for (const [, id] of text.matchAll(/\{"id":(\d+),/g)) {
      const [at, bit] = [Number(id) >> 3, 1 << (Number(id) & 7)];
      if ((this.#seen[at]! & bit) !== 0) continue;
      this.#seen[at]! |= bit;
      this.distinctEvents++;
    }
  }
}
