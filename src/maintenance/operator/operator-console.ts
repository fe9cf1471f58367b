import { type AskOptions, ask } from './prompt.ts';

/** Where a maintenance command speaks with its operator. */
export interface OperatorConsole {
  /** Plan and report go to standard output, or the one JSON object does; everything else goes to standard error. */
  out(text: string): void;
  err(text: string): void;
  /** Somebody sits at the terminal and can be asked. */
  readonly canAsk: boolean;
  /** Standard error is a terminal, so that a line may be drawn again. */
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  /** Undefined when the input ended instead. */
  ask(question: string, options?: AskOptions): Promise<string | undefined>;
}

/** The console of this process. https://no-color.org: NO_COLOR, when it is not empty, takes the colours away. */
export function processConsole(environment: NodeJS.ProcessEnv = process.env): OperatorConsole {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stderr.isTTY === true && environment.TERM !== 'dumb';
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    canAsk: stdin.isTTY === true,
    isTerminal,
    hasColour: isTerminal && !environment.NO_COLOR,
    ask: (question, options) => ask({ input: stdin, output: stderr }, question, options),
  };
}

const colours = { red: 31, yellow: 33 } as const;

/** One line that begins with what it is. */
export function tell(console: OperatorConsole, kind: 'ERROR' | 'WARNING', text: string): void {
  const colour = colours[kind === 'ERROR' ? 'red' : 'yellow'];
  const label = console.hasColour ? `\u001b[${colour}m${kind}:\u001b[0m` : `${kind}:`;
  console.err(`${label} ${text.replace(/\s*\n\s*/g, ' ')}\n`);
}
