/** What came of reading an option's text: the value, or the end of a sentence that begins "option '--x'". */
export type Reading<T> = { readonly value: T } | { readonly problem: string };

/** One option of a command. An option without a default must be given. */
export interface Option<T = unknown> {
  /** How help names the value, such as `ADDR`. */
  readonly valueName: string;
  readonly description: string;
  /** Text as the user could have typed it, so that help shows a default that works. */
  readonly default?: string;
  read(text: string): Reading<T>;
}

export type OptionTable = Readonly<Record<string, Option>>;

/** The values that `run` receives: one per option, under the option's name. */
export type OptionValues<Options extends OptionTable> = {
  readonly [Name in keyof Options]: Options[Name] extends Option<infer T> ? T : never;
};

/** A command of the program, from which its help and its parsing are derived. */
export interface Command<Options extends OptionTable = OptionTable> {
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  /** A paragraph for the command's own help. */
  readonly description: string;
  readonly options: Options;
  readonly examples: readonly { readonly command: string; readonly effect: string }[];
  /** Resolves to the exit code. */
  run(options: OptionValues<Options>): Promise<number>;
}

/** Gives `run` the exact types of the options declared beside it. */
export function defineCommand<const Options extends OptionTable>(command: Command<Options>): Command<Options> {
  return command;
}
