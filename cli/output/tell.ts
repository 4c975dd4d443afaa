import { errorOutput } from '../../dataplane/log/error-output.ts';
import { type LogLevel, logLevels } from '../../dataplane/log/log-level.ts';
import { JSON_STYLE } from '../../dataplane/log/log-style.ts';
import { programLog } from '../../dataplane/log/program-log.ts';

/** Something that is told of a configuration while it runs. */
export interface Told {
  readonly level: 'info' | 'warn' | 'error';
  /** In one line. */
  readonly message: string;
  /** What people read instead of the line, where there is more to say. */
  readonly text?: string;
  /** What programs find beside the line. */
  readonly fields?: object;
}

export type Tell = (told: Told) => void;

/** As people read it, on the standard error. */
export const tellAsText: Tell = ({ message, text }) => {
  errorOutput.write(`${text ?? message}\n`);
};

/** As people read it, from this level on. */
export function tellAsTextFrom(level: LogLevel): Tell {
  return (told) => {
    if (logLevels.indexOf(told.level) <= logLevels.indexOf(level)) tellAsText(told);
  };
}

/** As programs read it: one JSON line each on the standard error. */
export function tellAsJson(level: LogLevel): Tell {
  const log = programLog(level, JSON_STYLE);
  return ({ level, message, text, fields }) =>
    log[level]({ ...fields, ...(text === undefined ? {} : { text }) }, message);
}
