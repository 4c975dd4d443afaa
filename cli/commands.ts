import type { Command } from './command.ts';
import { evalCommand } from './eval.ts';
import { explainCommand } from './explain.ts';
import { typesCommand } from './list-types.ts';
import { proxyCommand } from './proxy.ts';

/** Every command of the program, in the order in which help lists them. */
export const commands: readonly Command[] = [proxyCommand, evalCommand, explainCommand, typesCommand];
