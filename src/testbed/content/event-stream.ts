/** The three line ends an event stream may use. */
const lineEnds = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

export type LineEnd = keyof typeof lineEnds;

export interface StreamEvent {
  readonly comment?: string;
  readonly id?: number | string;
  readonly event?: string;
  /** Every line of it becomes a data field. */
  readonly data?: string;
  readonly retryMs?: number;
}

/** One event of a text/event-stream, with the empty line that dispatches it (HTML standard §9.2.5). */
export function formatEvent(event: StreamEvent, lineEnd: LineEnd = 'lf'): string {
  const lines: string[] = [];
  if (event.comment !== undefined) lines.push(`: ${event.comment}`);
  if (event.retryMs !== undefined) lines.push(`retry: ${event.retryMs}`);
  if (event.id !== undefined) lines.push(`id: ${event.id}`);
  if (event.event !== undefined) lines.push(`event: ${event.event}`);
  for (const line of event.data?.split(/\r\n|\r|\n/) ?? []) lines.push(`data: ${line}`);
  return [...lines, '', ''].join(lineEnds[lineEnd]);
}
