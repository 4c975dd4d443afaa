import { type DestinationStream, type Logger, pino } from 'pino';
import { errorOutput } from './error-output.ts';
import { type LogLevel, PROGRAM } from './log-level.ts';
import { type LogFormat, type LogStyle, logStyle } from './log-style.ts';
import { textLogLine } from './text-log-lines.ts';

const STDERR = 2;

/** How to write the log of the program. */
export function programLogStyle(format: LogFormat): LogStyle {
  return logStyle(format, STDERR);
}

/** The log of the program, on the standard error, which cannot end the process. */
export function programLog(level: LogLevel, style: LogStyle): Logger {
  return lineLog(level, (line) => writeLogLine(line, style));
}

/** A log whose lines, JSON with their ends, go to a function. */
export function lineLog(level: LogLevel, write: DestinationStream['write']): Logger {
  return pino({ name: PROGRAM, level, timestamp: pino.stdTimeFunctions.isoTime }, { write });
}

/** Writes a line of a log to the standard error, as the style says. */
export function writeLogLine(line: string, { isText, isColoured }: LogStyle): void {
  errorOutput.write(isText ? textLogLine(line, isColoured) : line);
}
