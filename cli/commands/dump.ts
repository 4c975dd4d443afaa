import { adminOptions } from '../actions/admin-client.ts';
import { defineCommand } from './command.ts';

/** Prints what a controller made of everything. */
export const dumpCommand = defineCommand({
  name: 'dump',
  summary: 'print what a controller has compiled, without secrets',
  description:
    'Asks the admin address of a controller for the snapshot that planes are to run and for what was said of each ' +
    'resource, and prints it as JSON. Secrets that stand in documents are stars, and the files of secret stores are ' +
    'named and not shown.',
  options: adminOptions,
  examples: [
    { command: 'gatewarden dump > dump.json', effect: 'Keep what the controller on this machine has compiled.' },
  ],
  async run({ admin, 'token-file': tokenFile, 'ca-file': caFile }) {
    const { askController } = await import('../actions/admin-client.ts');
    process.stdout.write(await askController({ admin, tokenFile, caFile }, '/dump'));
    return 0;
  },
});
