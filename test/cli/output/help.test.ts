import { expect, it } from 'vitest';
import { commands } from '../../../cli/commands/commands.ts';
import { commandHelp, programHelp } from '../../../cli/output/help.ts';

it('of the program reads as agreed', async () => {
  await expect(programHelp(commands)).toMatchFileSnapshot('golden/help.txt');
});

it.each(commands)('of $name reads as agreed and fits a terminal', async (command) => {
  const text = commandHelp(command);
  await expect(text).toMatchFileSnapshot(`golden/help-${command.name}.txt`);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});
