import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { errorText } from './error-text.ts';

/** The command line of a script. */
export interface ScriptOptions<Name extends string> {
  /** Options by name, each as written or by its default. */
  readonly values: Readonly<Record<Name, string>>;
  /** What is no option. */
  readonly words: readonly string[];
}

/**
 * Reads the command line of a script before the script does anything. `--help` prints the usage and ends the process;
 * an unknown option or one word too many ends it with an error.
 */
export function scriptOptions<Name extends string = never>(
  usage: string,
  defaults: Readonly<Record<Name, string>>,
  mostWords = 0,
): ScriptOptions<Name> {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h', default: false } };
  for (const [name, value] of Object.entries<string>(defaults)) options[name] = { type: 'string', default: value };
  try {
    const { values, positionals: words } = parseArgs({ options, allowPositionals: mostWords > 0 });
    if (words.length > mostWords) throw new Error(`'${words[mostWords]}' is one word too many`);
    if (values['help'] === true) {
      process.stdout.write(usage);
      process.exit(0);
    }
    return { values: values as Record<Name, string>, words };
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n${usage}`);
    process.exit(2);
  }
}
