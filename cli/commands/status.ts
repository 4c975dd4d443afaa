import { adminOptions } from '../actions/admin-client.ts';
import { defineCommand } from './command.ts';

/** Command that shows the state of a controller and its data planes. */
export const statusCommand = defineCommand({
  name: 'status',
  summary: 'show the state of a controller and its data planes',
  description:
    'Asks the admin address of a controller for its data planes: the revision that each runs, how far behind it is and ' +
    'what failed to build there. A controller that is not the leader asks the leader for all data planes. The exit code ' +
    'is 0 when all is well, 3 when the controller is not ready, the base configuration is not valid, a data plane is ' +
    'behind or failed to build something, or the leader does not answer, and 1 when the controller is not reachable.',
  options: {
    ...adminOptions,
    json: { flag: true, description: 'Print JSON for programs.' },
  },
  examples: [
    { command: 'gatewarden status', effect: 'Ask the controller on this machine.' },
    {
      command: 'kubectl -n gatewarden exec deploy/gatewarden-controller -- gatewarden status',
      effect: 'Ask the controller inside its own Pod.',
    },
    {
      command: 'gatewarden status --admin https://controller.test:9443 --token-file token --ca-file ca.pem --json',
      effect: 'Ask a controller of a cluster, and print JSON.',
    },
  ],
  async run({ admin, 'token-file': tokenFile, 'ca-file': caFile, json }) {
    const { askController } = await import('../actions/admin-client.ts');
    const { isWell, readStatusReport, statusLines } = await import('../output/status-lines.ts');
    const report = readStatusReport(await askController({ admin, tokenFile, caFile }, '/status'));
    const lines = json ? [JSON.stringify(report, null, 2)] : statusLines(report);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    return isWell(report) ? 0 : 3;
  },
});
