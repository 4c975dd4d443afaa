import { didYouMean } from '../contract/did-you-mean.ts';
import { errorText } from '../platform/error-text.ts';
import { readCommandLine, unknownOption } from './command-line.ts';
import type { Command } from './commands/command.ts';
import { commands } from './commands/commands.ts';
import { commandHelp, programHelp } from './output/help.ts';
import { versionLine } from './version.ts';

const exitFailure = 1;
const exitUsage = 2;

process.stdout.on('error', () => {}); // a reader that has seen enough, such as head, is no failure
process.stderr.on('error', () => {}); // nor is a log that nobody takes any more
process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words;
  if (first === undefined) {
    process.stderr.write(programHelp(commands));
    return exitUsage;
  }
  if (first.startsWith('-')) return runProgramOption(words);
  if (first === 'help') return runHelp(rest);
  const command = findCommand(first);
  return command === undefined ? refuse('gatewarden', [unknownCommand(first)]) : runCommand(command, rest);
}

function runProgramOption(words: readonly string[]): number {
  const unknown = words.filter((word) => word.startsWith('-') && !['--help', '-h', '--version'].includes(word));
  if (unknown.length > 0) {
    return refuse(
      'gatewarden',
      unknown.map((word) => unknownOption(word, ['help', 'version'])),
    );
  }
  const asksForVersion = words.includes('--version') && !words.includes('--help') && !words.includes('-h');
  process.stdout.write(asksForVersion ? `${versionLine()}\n` : programHelp(commands));
  return 0;
}

function runHelp(names: readonly string[]): number {
  const asked = names.filter((name) => name !== '--help' && name !== '-h');
  const unknown = asked.filter((name) => findCommand(name) === undefined);
  if (unknown.length > 0) return refuse('gatewarden', unknown.map(unknownCommand));
  if (asked.length === 0) process.stdout.write(programHelp(commands));
  for (const name of asked) process.stdout.write(commandHelp(findCommand(name)!));
  return 0;
}

async function runCommand(command: Command, words: readonly string[]): Promise<number> {
  const line = readCommandLine(command, words);
  if (line.wants === 'nothing') return refuse(`gatewarden ${command.name}`, line.problems);
  if (line.wants === 'help') {
    process.stdout.write(commandHelp(command));
    return 0;
  }
  try {
    return await command.run(line.options, line.given);
  } catch (error) {
    process.stderr.write(`gatewarden ${command.name}: ${errorText(error)}\n`);
    return exitFailure;
  }
}

function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}

function unknownCommand(name: string): string {
  const meant = didYouMean(
    name,
    commands.map((command) => command.name),
  );
  return `unknown command '${name}'${meant === undefined ? '' : `: did you mean '${meant}'?`}`;
}

/** Prints every problem of a command line and where to read on. */
function refuse(speaker: string, problems: readonly string[]): number {
  for (const problem of problems) process.stderr.write(`${speaker}: ${problem}\n`);
  process.stderr.write(`Try '${speaker} --help'.\n`);
  return exitUsage;
}
