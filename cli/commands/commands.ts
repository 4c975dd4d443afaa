import { apiCommand } from './api.ts';
import { checkCommand } from './check.ts';
import type { Command } from './command.ts';
import { compileCommand } from './compile.ts';
import { controllerCommand } from './controller.ts';
import { dataplaneCommand } from './dataplane.ts';
import { dumpCommand } from './dump.ts';
import { evalCommand } from './eval.ts';
import { explainCommand } from './explain.ts';
import { exportCommand } from './export.ts';
import { injectCommand } from './inject.ts';
import { typesCommand } from './list-types.ts';
import { proxyCommand } from './proxy.ts';
import { routesCommand } from './routes.ts';
import { runCommand } from './run.ts';
import { statusCommand } from './status.ts';
import { verifyAuditCommand } from './verify-audit.ts';

/** Every command of the program, in the order in which help lists them. */
export const commands: readonly Command[] = [
  runCommand,
  controllerCommand,
  dataplaneCommand,
  checkCommand,
  routesCommand,
  compileCommand,
  exportCommand,
  injectCommand,
  explainCommand,
  typesCommand,
  evalCommand,
  proxyCommand,
  apiCommand,
  statusCommand,
  dumpCommand,
  verifyAuditCommand,
];
