import { describe, expect, it } from 'vitest';
import { defineCommand } from '../../cli/command.ts';
import { readCommandLine } from '../../cli/command-line.ts';

const command = defineCommand({
  name: 'serve',
  summary: 'serve',
  description: 'Serves.',
  options: {
    listen: { valueName: 'ADDR', description: 'Where.', read: (text) => ({ value: text }) },
    log: { valueName: 'FILE|-', description: 'Where to.', default: '-', read: (text) => ({ value: text }) },
    units: {
      valueName: 'N',
      description: 'How many.',
      default: '1',
      read: (text) => (/^\d+$/.test(text) ? { value: Number(text) } : { problem: 'must be a number' }),
    },
  },
  examples: [],
  run: async () => 0,
});

const read = (...words: string[]) => readCommandLine(command, words);
const problemsOf = (...words: string[]) => {
  const line = read(...words);
  return line.wants === 'nothing' ? line.problems : [];
};

describe('a command line', () => {
  it('gives every option its value or its default', () => {
    const options = { listen: ':1', log: '-', units: 1 };
    expect(read('--listen', ':1')).toEqual({ wants: 'run', options });
    expect(read('--units=3', '--listen=:1')).toEqual({ wants: 'run', options: { ...options, units: 3 } });
    expect(read('--log', '-', '--listen', ':1')).toEqual({ wants: 'run', options });
    expect(read('--listen', 'a=b')).toEqual({ wants: 'run', options: { ...options, listen: 'a=b' } });
  });

  it.each(['--help', '-h'])('with %s wants help, whatever else is wrong', (word) => {
    expect(read('--nonsense', word)).toEqual({ wants: 'help' });
  });

  it('names all its problems at once', () => {
    expect(problemsOf('extra', '--units', 'many', '--lgo', 'x', '--nonsense', 'y', 'z')).toEqual([
      "unexpected argument 'extra'",
      "unknown option '--lgo': did you mean '--log'?",
      "unknown option '--nonsense'",
      "unexpected argument 'z'",
      "option '--listen ADDR' is required",
      "option '--units' must be a number",
    ]);
  });

  it('calls a misspelt or empty option no second time missing', () => {
    expect(problemsOf('--listne', ':1')).toEqual(["unknown option '--listne': did you mean '--listen'?"]);
    expect(problemsOf('--listen')).toEqual(["option '--listen' needs a value: ADDR"]);
    expect(problemsOf('--listen', '--units', '2')).toEqual(["option '--listen' needs a value: ADDR"]);
  });

  it('takes each option once', () => {
    expect(problemsOf('--listen', ':1', '--listen', ':2')).toEqual(["option '--listen' is given more than once"]);
  });

  it('knows no option by an inherited name or a single dash', () => {
    expect(problemsOf('--listen', ':1', '--constructor', 'x')).toEqual(["unknown option '--constructor'"]);
    expect(problemsOf('--listen', ':1', '-units', '2')).toEqual(["unknown option '-units': did you mean '--units'?"]);
  });
});
