/** Result of reading an option: the value, or the end of a sentence that begins "option '--x'". */
export type Reading<T> = { readonly value: T } | { readonly problem: string };

/** An option with a value. One that has no default and is not optional must be given. */
export interface ValueOption<T = unknown> {
  /** How help names the value, such as `ADDR`. */
  readonly valueName: string;
  readonly description: string;
  /** Text as the user could have typed it, so that help shows a default that works. */
  readonly default?: string;
  /** The option may be left out, which makes its value undefined. */
  readonly optional?: true;
  read(text: string): Reading<T>;
}

/** An option that is there or not, such as `--json`. */
export interface FlagOption {
  readonly flag: true;
  readonly description: string;
}

/** An option that may be given any number of times: `-Dname=value`, or with two dashes `--header VALUE`. */
export interface RepeatedOption<T = unknown> {
  readonly repeated: `-${string}`;
  /** The value may be the next word although there is one dash only: `-f FILE`. */
  readonly apart?: true;
  readonly valueName: string;
  readonly description: string;
  read(text: string): Reading<T>;
}

export type Option = ValueOption | FlagOption | RepeatedOption;
export type OptionTable = Readonly<Record<string, Option>>;

/** The values that `run` receives: one per option, under the option's name. */
export type OptionValues<Options extends OptionTable> = {
  readonly [Name in keyof Options]: OptionValue<Options[Name]>;
};

type OptionValue<One> = One extends FlagOption
  ? boolean
  : One extends RepeatedOption<infer T>
    ? readonly T[]
    : One extends ValueOption<infer T>
      ? One extends { readonly optional: true }
        ? T | undefined
        : T
      : never;

/** A word of a command line that belongs to no option. Optional ones follow those that are not; one with many is last. */
export interface Argument {
  /** How help names it, such as `DIR`. */
  readonly name: string;
  readonly description: string;
  readonly optional?: true;
  readonly many?: true;
}

export type ArgumentList = readonly Argument[];

/** The arguments that `run` receives, under their names. */
export type ArgumentValues<Arguments extends ArgumentList> = {
  readonly [One in Arguments[number] as One['name']]: One extends { readonly many: true }
    ? readonly string[]
    : One extends { readonly optional: true }
      ? string | undefined
      : string;
};

/** A command of the program, from which its help and its parsing are derived. */
export interface Command<Options extends OptionTable = OptionTable, Arguments extends ArgumentList = ArgumentList> {
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** A paragraph for the command's own help. */
  readonly description: string;
  readonly arguments?: Arguments;
  readonly options: Options;
  readonly examples: readonly { readonly command: string; readonly effect: string }[];
  /** Resolves to the exit code. */
  run(options: OptionValues<Options>, given: ArgumentValues<Arguments>): Promise<number>;
}

/** Gives `run` the exact types of the options and arguments declared beside it. */
export function defineCommand<const Options extends OptionTable, const Arguments extends ArgumentList = readonly []>(
  command: Command<Options, Arguments>,
): Command<Options, Arguments> {
  return command;
}
