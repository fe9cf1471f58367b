import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const LISTEN = `
  require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
    console.log(this.address().port);
  });
`;

/** More than the line of a listener with a backlog of 1 has places for. */
const QUEUE_FILLERS = 8;

/**
 * A target to which no connection comes about: its process stands still, and the line of those that wait to be accepted
 * is full, so that Linux leaves further attempts without an answer.
 */
export class DeafTarget implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #fillers: readonly Socket[];

  private constructor(child: ChildProcess, port: number, fillers: readonly Socket[]) {
    this.url = `http://127.0.0.1:${port}`;
    this.#child = child;
    this.#fillers = fillers;
  }

  static async start(): Promise<DeafTarget> {
    const child = spawn(process.execPath, ['-e', LISTEN], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout!, 'data');
    const port = Number(line);
    child.kill('SIGSTOP');
    const fillers = Array.from({ length: QUEUE_FILLERS }, () => connect(port, '127.0.0.1'));
    for (const socket of fillers) socket.on('error', () => {});
    // The first ones are in line as soon as they have called; those that come after them find it full.
    await once(fillers[1]!, 'connect');
    return new DeafTarget(child, port, fillers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#fillers) socket.destroy();
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
