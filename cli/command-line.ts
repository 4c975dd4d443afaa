import { didYouMean } from '../contract/did-you-mean.ts';
import type { Argument, ArgumentList, ArgumentValues, Command, OptionTable, OptionValues } from './commands/command.ts';

/** Parsed command line: options and arguments after the name of a command. */
export type CommandLine<Options extends OptionTable, Arguments extends ArgumentList = ArgumentList> =
  | { readonly wants: 'help' }
  | {
      readonly wants: 'run';
      readonly options: OptionValues<Options>;
      readonly given: ArgumentValues<Arguments>;
    }
  | { readonly wants: 'nothing'; readonly problems: readonly string[] };

/** Reads the words after a command's name and reports all problems at once rather than the first. */
export function readCommandLine<Options extends OptionTable, Arguments extends ArgumentList>(
  command: Command<Options, Arguments>,
  words: readonly string[],
): CommandLine<Options, Arguments> {
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  if (own.includes('--help') || own.includes('-h')) return { wants: 'help' };
  const split = splitWords(words, command.options);
  const { problems } = split;
  const given = nameArguments(split.plain, command.arguments ?? [], problems);
  const options = readOptions(command.options, split, problems);
  if (problems.length > 0) return { wants: 'nothing', problems };
  return {
    wants: 'run',
    options: options as OptionValues<Options>,
    given: given as ArgumentValues<Arguments>,
  };
}

/** Error text for an unknown option, with the one that was probably meant. */
export function unknownOption(word: string, names: readonly string[]): string {
  const meant = meantOption(word, names);
  return `unknown option '${word}'${meant === undefined ? '' : `: did you mean '--${meant}'?`}`;
}

function meantOption(word: string, names: readonly string[]): string | undefined {
  return didYouMean(word.replace(/^-+/, ''), names);
}

function readOptions(table: OptionTable, split: SplitWords, problems: string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    if ('flag' in option) {
      values[name] = split.texts.has(name);
      continue;
    }
    if ('repeated' in option) {
      values[name] = readRepeated(option.repeated, split.repeated.get(name) ?? [], option.read, problems);
      continue;
    }
    const text = split.texts.get(name) ?? option.default;
    if (text === undefined) {
      if (option.optional === true) values[name] = undefined;
      else if (!split.texts.has(name)) problems.push(`option '--${name} ${option.valueName}' is required`);
      continue;
    }
    const reading = option.read(text);
    if ('problem' in reading) problems.push(`option '--${name}' ${reading.problem}`);
    else values[name] = reading.value;
  }
  return values;
}

type Read = (text: string) => { readonly value: unknown } | { readonly problem: string };

function readRepeated(letter: string, texts: readonly string[], read: Read, problems: string[]): unknown[] {
  const values: unknown[] = [];
  for (const text of texts) {
    const reading = read(text);
    if ('problem' in reading) problems.push(`option '${letter}' ${reading.problem}`);
    else values.push(reading.value);
  }
  return values;
}

function nameArguments(plain: readonly string[], list: ArgumentList, problems: string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  let at = 0;
  for (const argument of list) {
    const words = argument.many === true ? plain.slice(at) : plain.slice(at, at + 1);
    if (words.length === 0 && argument.optional !== true) problems.push(missingArgument(argument));
    values[argument.name] = argument.many === true ? words : words[0];
    at += words.length;
  }
  for (const word of plain.slice(at)) problems.push(`unexpected argument '${word}'`);
  return values;
}

function missingArgument(argument: Argument): string {
  return `argument ${argument.name} is required`;
}

interface SplitWords {
  /** By option; misspelt ones and those without their value are undefined, so that they are not called missing as well. */
  readonly texts: Map<string, string | undefined>;
  readonly repeated: Map<string, string[]>;
  /** The words that belong to no option. */
  readonly plain: string[];
  readonly problems: string[];
}

function splitWords(words: readonly string[], options: OptionTable): SplitWords {
  const split: SplitWords = { texts: new Map(), repeated: new Map(), plain: [], problems: [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') {
      split.plain.push(...words.slice(at + 1));
      break;
    }
    if (!looksLikeOption(word)) split.plain.push(word);
    else {
      const taken = takeRepeated(word, words[at + 1], options, split);
      if (taken === 2 || (taken === 0 && takeOption(word, words[at + 1], options, split))) at++;
    }
  }
  return split;
}

/** @returns how many words were taken: none when the word is no such option. */
function takeRepeated(word: string, follower: string | undefined, options: OptionTable, split: SplitWords): 0 | 1 | 2 {
  for (const [name, option] of Object.entries(options)) {
    if (!('repeated' in option) || !word.startsWith(option.repeated)) continue;
    const attached = word.slice(option.repeated.length);
    const isLong = option.repeated.startsWith('--');
    if (isLong && attached !== '' && !attached.startsWith('=')) continue;
    const mayFollow = isLong || option.apart === true;
    const takesFollower = mayFollow && attached === '' && follower !== undefined && !looksLikeOption(follower);
    const text = takesFollower ? follower : isLong ? attached.slice(1) : attached;
    if (text === '') {
      const gap = mayFollow ? ' ' : '';
      split.problems.push(`option '${option.repeated}' needs a value: ${option.repeated}${gap}${option.valueName}`);
    }
    const texts = split.repeated.get(name) ?? [];
    split.repeated.set(name, text === '' ? texts : [...texts, text]);
    return takesFollower ? 2 : 1;
  }
  return 0;
}

/** @returns whether the word that follows was taken for the option's value. */
function takeOption(word: string, follower: string | undefined, options: OptionTable, split: SplitWords): boolean {
  const equals = word.indexOf('=');
  const head = equals < 0 ? word : word.slice(0, equals);
  const names = Object.entries(options).flatMap(([name, one]) =>
    'repeated' in one && !one.repeated.startsWith('--') ? [] : [name],
  );
  const spelt = head.startsWith('--') && names.includes(head.slice(2)) ? head.slice(2) : undefined;
  const name = spelt ?? meantOption(head, names);
  const option = name === undefined ? undefined : options[name];
  const isFlag = option !== undefined && 'flag' in option;
  // The word after an unknown option is taken for its value: one slip is one problem.
  const takesFollower = equals < 0 && follower !== undefined && !looksLikeOption(follower) && !isFlag;
  const text = takesFollower ? follower : equals < 0 ? undefined : word.slice(equals + 1);
  const { texts, problems } = split;

  if (spelt === undefined || option === undefined) {
    problems.push(unknownOption(head, [...names, 'help']));
    if (name !== undefined && !texts.has(name)) texts.set(name, undefined);
  } else if (isFlag) {
    if (equals >= 0) problems.push(`option '--${spelt}' takes no value`);
    texts.set(spelt, '');
  } else if (texts.get(spelt) !== undefined) {
    problems.push(`option '--${spelt}' is given more than once`);
  } else {
    if (text === undefined && 'valueName' in option) {
      problems.push(`option '--${spelt}' needs a value: ${option.valueName}`);
    }
    texts.set(spelt, text);
  }
  return takesFollower;
}

/** A single `-` is a value: it stands for the standard output. */
function looksLikeOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}
