import pino from 'pino';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** One event per line: `log.info({ event: 'listener.started', port })`. */
export type Log = Pick<pino.Logger, 'error' | 'warn' | 'info' | 'debug'>;

/** Structured lines on standard error; standard output belongs to the command's own words. */
export function createLog(module: string, level: LogLevel): Log {
  return pino({ level, base: { module } }, pino.destination({ dest: 2, sync: true }));
}

export const silentLog: Log = pino({ level: 'silent' });
