import { type Logger, pino } from 'pino';
import { errorOutput } from './error-output.ts';
import type { LogLevel } from './log-level.ts';

/** The log of the program: one JSON line each on the standard error, which cannot end the process. */
export function programLog(level: LogLevel): Logger {
  return pino({ name: 'gatewarden', level }, errorOutput);
}
