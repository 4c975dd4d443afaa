import { adminOptions } from '../actions/admin-client.ts';
import { defineCommand } from './command.ts';

/** Prints what a controller made of everything. */
export const dumpCommand = defineCommand({
  name: 'dump',
  summary: 'print the compiled configuration of a controller, without secrets',
  description:
    'Requests the snapshot (the compiled configuration) and the verdict on each resource from the admin address of a controller, ' +
    'and prints them as JSON. Secrets in documents are replaced by stars, and the files of secret stores are ' +
    'named but not shown.',
  options: adminOptions,
  examples: [
    {
      command: 'gatewarden dump > dump.json',
      effect: 'Save the compiled configuration of the controller on this machine.',
    },
  ],
  async run({ admin, 'token-file': tokenFile, 'ca-file': caFile }) {
    const { askController } = await import('../actions/admin-client.ts');
    process.stdout.write(await askController({ admin, tokenFile, caFile }, '/dump'));
    return 0;
  },
});
