/** How much the program's log tells, the least first. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;

/** The name of the program in every line. */
export const PROGRAM = 'gatewarden';

export type LogLevel = (typeof logLevels)[number];
