import { systemOption } from '../options/system-property.ts';
import { defineCommand } from './command.ts';

/** Shows what planes would be told to run. */
export const compileCommand = defineCommand({
  name: 'compile',
  summary: 'print what a configuration becomes, as planes receive it',
  description:
    'Compiles an instance directory and prints the snapshot as canonical JSON: properties, tokens and transformations ' +
    'are replaced by what they stand for, and the same files give the same bytes. Values that come from the ' +
    'environment through tokens are part of it. Fields that are named after secrets have stars in their place; the ' +
    'revision still tells whether they are the same. Problems are printed to the standard error; ends with 1 when ' +
    'there are errors.',
  arguments: [{ name: 'DIR', description: 'Instance directory, or its configuration directory.', optional: true }],
  options: { system: systemOption },
  examples: [
    { command: 'gatewarden compile /etc/gatewarden', effect: 'Print the snapshot of an instance.' },
    { command: 'gatewarden compile . -Denv=test | sha256sum', effect: 'Tell whether two configurations are the same.' },
  ],
  async run({ system }, { DIR: directory }) {
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { compileOnce } = await import('../actions/compile-once.ts');
    const { snapshotText } = await import('../output/snapshot-text.ts');
    const { snapshot, isSound } = compileOnce(directory, Object.fromEntries(system));
    if (snapshot !== null) process.stdout.write(`${snapshotText(snapshot)}\n`);
    return isSound ? 0 : 1;
  },
});
