import { onTestFailed, onTestFinished } from 'vitest';
import { DeployedGateway, type DeploymentOptions } from './deployed-gateway.ts';

/** How many of the last lines of a process are shown when a test fails. */
const LINES = 15;

/** A gateway for the rest of the test, whose processes tell what they said when the test fails. */
export async function testedGateway(options: DeploymentOptions): Promise<DeployedGateway> {
  const gateway = await DeployedGateway.prepare(options);
  onTestFinished(() => gateway.stop());
  onTestFailed(() => {
    for (const { process: program, name } of [...gateway.controllers, ...gateway.planes]) {
      const lines = program.said.slice(-LINES).map((line) => `  ${JSON.stringify(line)}\n`);
      process.stderr.write(`${name}${program.hasEnded ? ', which has ended' : ''}:\n${lines.join('')}`);
    }
  });
  return gateway;
}
