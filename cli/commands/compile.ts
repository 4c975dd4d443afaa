import { systemOption } from '../options/system-property.ts';
import { defineCommand } from './command.ts';

/** Shows what planes would be told to run. */
export const compileCommand = defineCommand({
  name: 'compile',
  summary: 'print the compiled configuration, as data planes receive it',
  description:
    'Compiles an instance directory and prints the snapshot (the compiled configuration) as canonical JSON: properties, tokens and transformations ' +
    'are replaced by their values, and the same files give the same bytes. Values that tokens take from the ' +
    'environment are included. Fields with names of secrets are replaced by stars; the ' +
    'revision still changes with them. Problems are printed to the standard error; the exit code is 1 when ' +
    'there are errors.',
  arguments: [{ name: 'DIR', description: 'Instance directory, or its configuration directory.', optional: true }],
  options: { system: systemOption },
  examples: [
    { command: 'gatewarden compile /etc/gatewarden', effect: 'Print the snapshot of an instance.' },
    { command: 'gatewarden compile . -Denv=test | sha256sum', effect: 'Compare two configurations by their hash.' },
  ],
  async run({ system }, { DIR: directory }) {
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { compileOnce } = await import('../actions/compile-once.ts');
    const { snapshotText } = await import('../output/snapshot-text.ts');
    const { snapshot, isSound } = await compileOnce(directory, Object.fromEntries(system));
    if (snapshot !== null) process.stdout.write(`${snapshotText(snapshot)}\n`);
    return isSound ? 0 : 1;
  },
});
