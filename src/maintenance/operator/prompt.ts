import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

export interface AskOptions {
  /** What is typed is not shown. */
  readonly isSecret?: boolean;
  /** Gives up waiting; the question then fails with the signal's reason. */
  readonly signal?: AbortSignal;
}

interface Terminal {
  readonly input: Readable & { setRawMode?(isRaw: boolean): unknown };
  readonly output: Writable;
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const erasing = ['\u007f', '\b'];

/** One line from the terminal; undefined when the input ends instead. */
export async function ask(terminal: Terminal, question: string, options: AskOptions = {}) {
  const { input, output } = terminal;
  const { isSecret = false, signal } = options;
  signal?.throwIfAborted();
  output.write(question);
  const line = new TypedLine(isSecret);
  // A character may come in two pieces.
  const decoder = new StringDecoder('utf8');
  if (isSecret) input.setRawMode?.(true);
  input.resume();
  try {
    return await new Promise<string | undefined>((resolve, reject) => {
      const onData = (bytes: Buffer) => {
        const typed = line.take(decoder.write(bytes));
        if (typed === 'interrupted') process.kill(process.pid, 'SIGINT');
        else if (typed) settle(() => resolve(typed.text));
      };
      const onEnd = () => settle(() => resolve(undefined));
      const onAbort = () => settle(() => reject(signal?.reason));
      const settle = (finish: () => void) => {
        input.off('data', onData).off('end', onEnd).off('error', onEnd);
        signal?.removeEventListener('abort', onAbort);
        finish();
      };
      input.on('data', onData).on('end', onEnd).on('error', onEnd);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  } finally {
    if (isSecret) {
      input.setRawMode?.(false);
      output.write('\n');
    }
    // A terminal that is still read from would keep the process alive.
    input.pause();
  }
}

/** What was typed so far. Without echo the terminal edits nothing by itself, so that erasing and ending are done here. */
class TypedLine {
  readonly #isRaw: boolean;
  #text = '';

  constructor(isRaw: boolean) {
    this.#isRaw = isRaw;
  }

  /** Undefined until the line is ended; its text is undefined when the input ended before it. */
  take(typed: string): 'interrupted' | { readonly text: string | undefined } | undefined {
    for (const character of typed) {
      if (character === '\n' || character === '\r') return { text: this.#text };
      if (this.#isRaw && character === CTRL_C) return 'interrupted';
      if (this.#isRaw && character === CTRL_D) return { text: this.#text || undefined };
      if (this.#isRaw && erasing.includes(character)) this.#text = [...this.#text].slice(0, -1).join('');
      else this.#text += character;
    }
    return undefined;
  }
}
