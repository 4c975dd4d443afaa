import type { Command, OptionTable, OptionValues } from './command.ts';
import { didYouMean } from './did-you-mean.ts';

/** What the words after a command's name ask for. */
export type CommandLine<Options extends OptionTable> =
  | { readonly wants: 'help' }
  | { readonly wants: 'run'; readonly options: OptionValues<Options> }
  | { readonly wants: 'nothing'; readonly problems: readonly string[] };

/** Reads the words after a command's name and reports all problems at once rather than the first. */
export function readCommandLine<Options extends OptionTable>(
  command: Command<Options>,
  words: readonly string[],
): CommandLine<Options> {
  if (words.includes('--help') || words.includes('-h')) return { wants: 'help' };
  const { given, problems } = splitWords(words, command.options);
  const options: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(command.options)) {
    const text = given.get(name) ?? option.default;
    if (text === undefined) {
      if (!given.has(name)) problems.push(`option '--${name} ${option.valueName}' is required`);
      continue;
    }
    const reading = option.read(text);
    if ('problem' in reading) problems.push(`option '--${name}' ${reading.problem}`);
    else options[name] = reading.value;
  }
  if (problems.length > 0) return { wants: 'nothing', problems };
  return { wants: 'run', options: options as OptionValues<Options> };
}

/** Says that an option does not exist and which one was probably meant. */
export function unknownOption(word: string, names: readonly string[]): string {
  const meant = meantOption(word, names);
  return `unknown option '${word}'${meant === undefined ? '' : `: did you mean '--${meant}'?`}`;
}

function meantOption(word: string, names: readonly string[]): string | undefined {
  return didYouMean(word.replace(/^-+/, ''), names);
}

/** Misspelt options and those without a value are `given` as undefined, so that they are not called missing as well. */
function splitWords(words: readonly string[], options: OptionTable) {
  const given = new Map<string, string | undefined>();
  const problems: string[] = [];
  const names = Object.keys(options);
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!looksLikeOption(word)) {
      problems.push(`unexpected argument '${word}'`);
      continue;
    }
    const equals = word.indexOf('=');
    const head = equals < 0 ? word : word.slice(0, equals);
    const follower = words[at + 1];
    const takesFollower = equals < 0 && follower !== undefined && !looksLikeOption(follower);
    const text = takesFollower ? follower : equals < 0 ? undefined : word.slice(equals + 1);
    // The word after an unknown option is taken for its value: one slip is one problem.
    if (takesFollower) at++;

    const name = head.slice(2);
    const option = head.startsWith('--') && Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) {
      problems.push(unknownOption(head, [...names, 'help']));
      const meant = meantOption(head, names);
      if (meant !== undefined && !given.has(meant)) given.set(meant, undefined);
    } else if (given.get(name) !== undefined) {
      problems.push(`option '--${name}' is given more than once`);
    } else {
      if (text === undefined) problems.push(`option '--${name}' needs a value: ${option.valueName}`);
      given.set(name, text);
    }
  }
  return { given, problems };
}

/** A single `-` is a value: it stands for the standard output. */
function looksLikeOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}
