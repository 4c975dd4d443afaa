import { isatty } from 'node:tty';

/** Formats of a log; `auto` is text on a terminal and JSON elsewhere. */
export const logFormats = ['text', 'json', 'auto'] as const;

export type LogFormat = (typeof logFormats)[number];

/** Format of a log. */
export interface LogStyle {
  /** Whether people read it; otherwise it is JSON. */
  readonly isText: boolean;
  readonly isColoured: boolean;
}

export const JSON_STYLE: LogStyle = { isText: false, isColoured: false };

/** How to write to a file descriptor. The variable NO_COLOR turns colours off (no-color.org). */
export function logStyle(format: LogFormat, descriptor: number, env: NodeJS.ProcessEnv = process.env): LogStyle {
  const isTerminal = isatty(descriptor);
  const isText = format === 'text' || (format === 'auto' && isTerminal);
  return { isText, isColoured: isText && isTerminal && (env['NO_COLOR'] ?? '') === '' };
}

const COLOURS = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const;

export type Colour = keyof typeof COLOURS;

/** Writes a text in a colour of a terminal. */
export function coloured(text: string, colour: Colour): string {
  return `\u001b[${COLOURS[colour]}m${text}\u001b[0m`;
}
