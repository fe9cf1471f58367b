import { createRequire } from 'node:module';
import type { Reading, ReadingEnd, ReadMessage } from './reading.ts';

/**
 * Node's own parser (llhttp in its strict mode), below node:http: a million connections through real servers would
 * take hours. Node does not document this entry; the tests say so at once should it change.
 */
interface NodeParser {
  [callback: number]: (...values: never[]) => unknown;
  initialize(type: number, resource: object, maxHeadBytes: number, lenientFlags: number): void;
  execute(bytes: Buffer): number | (Error & { code: string });
}

interface NodeParserClass {
  new (): NodeParser;
  readonly REQUEST: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}

const { HTTPParser, methods } = createRequire(import.meta.url)('_http_common') as {
  HTTPParser: NodeParserClass;
  methods: readonly string[];
};

/** Methods whose number is not their place in the list, because others stand between them. */
const numberedOtherwise: Readonly<Record<number, string>> = { 34: 'PRI', 46: 'QUERY' };

/** Every method this parser knows; it refuses all others. */
export const llhttpMethods: ReadonlySet<string> = new Set(methods);

const MAX_HEAD_BYTES = 1 << 20;

/** One parser for all connections, set back before each of them. */
export class LlhttpReader {
  readonly #parser = new HTTPParser();
  #messages: ReadMessage[] = [];
  #current: ReadMessage | undefined = undefined;
  #fields: string[] = [];
  #target = '';
  #isHandedOver = false;
  /** The parser says before the body whether the connection stays. */
  #keepsAlive = false;

  constructor() {
    const parser = this.#parser;
    // Fields come in several calls when there are many, and after the body as trailers.
    parser[HTTPParser.kOnHeaders] = (fields: string[], target: string) => {
      this.#fields.push(...fields);
      if (this.#current === undefined) this.#target += target;
    };
    parser[HTTPParser.kOnHeadersComplete] = this.#onHead.bind(this);
    parser[HTTPParser.kOnBody] = (bytes: Buffer) => {
      this.#current!.body += bytes.toString('latin1');
    };
    parser[HTTPParser.kOnMessageComplete] = () => this.#onMessageComplete();
  }

  read(wire: Buffer): Reading {
    this.#messages = [];
    this.#current = undefined;
    this.#fields = [];
    this.#target = '';
    this.#isHandedOver = false;
    this.#parser.initialize(HTTPParser.REQUEST, {}, MAX_HEAD_BYTES, 0);
    const result = this.#parser.execute(wire);
    return { messages: this.#messages, end: this.#endOf(result) };
  }

  #endOf(result: number | (Error & { code: string })): ReadingEnd {
    if (this.#isHandedOver) return { kind: 'handed-over' };
    const last = this.#messages.at(-1);
    if (last?.isComplete && !last.keepsAlive) return { kind: 'closed' };
    return typeof result === 'number' ? { kind: 'waiting' } : { kind: 'refused', rule: result.code };
  }

  #onHead(
    major: number,
    minor: number,
    fields: string[] | undefined,
    methodNo: number,
    target: string | undefined,
    _status: unknown,
    _reason: unknown,
    isUpgrade: boolean,
    keepsAlive: boolean,
  ): number {
    this.#current = {
      method: numberedOtherwise[methodNo] ?? methods[methodNo]!,
      target: this.#target + (target ?? ''),
      version: `${major}.${minor}`,
      headers: [...this.#fields, ...(fields ?? [])],
      keepsAlive: false,
      isComplete: false,
      body: '',
      trailers: [],
    };
    this.#messages.push(this.#current);
    this.#fields = [];
    this.#target = '';
    this.#keepsAlive = keepsAlive;
    this.#isHandedOver ||= isUpgrade;
    return 0;
  }

  #onMessageComplete(): void {
    const message = this.#current!;
    message.isComplete = true;
    message.keepsAlive = this.#keepsAlive;
    message.trailers = this.#fields;
    this.#fields = [];
    this.#current = undefined;
  }
}
