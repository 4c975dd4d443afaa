import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../cli/command-line.ts';
import { defineCommand } from '../../cli/commands/command.ts';

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
  it('returns the value or the default of every option', () => {
    const options = { listen: ':1', log: '-', units: 1 };
    const given = {};
    expect(read('--listen', ':1')).toEqual({ wants: 'run', options, given });
    expect(read('--units=3', '--listen=:1')).toEqual({ wants: 'run', options: { ...options, units: 3 }, given });
    expect(read('--log', '-', '--listen', ':1')).toEqual({ wants: 'run', options, given });
    expect(read('--listen', 'a=b')).toEqual({ wants: 'run', options: { ...options, listen: 'a=b' }, given });
  });

  it.each(['--help', '-h'])('with %s prints help despite other errors', (word) => {
    expect(read('--nonsense', word)).toEqual({ wants: 'help' });
  });

  it('names all its problems at once', () => {
    expect(problemsOf('extra', '--units', 'many', '--lgo', 'x', '--nonsense', 'y', 'z')).toEqual([
      "unknown option '--lgo': did you mean '--log'?",
      "unknown option '--nonsense'",
      "unexpected argument 'extra'",
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

  it('accepts each option once', () => {
    expect(problemsOf('--listen', ':1', '--listen', ':2')).toEqual(["option '--listen' is given more than once"]);
  });

  it('rejects options with an inherited name or a single dash', () => {
    expect(problemsOf('--listen', ':1', '--constructor', 'x')).toEqual(["unknown option '--constructor'"]);
    expect(problemsOf('--listen', ':1', '-units', '2')).toEqual(["unknown option '-units': did you mean '--units'?"]);
  });
});

const check = defineCommand({
  name: 'check',
  summary: 'check',
  description: 'Checks.',
  arguments: [
    { name: 'DIR', description: 'Where.' },
    { name: 'PATH', description: 'What.', optional: true, many: true },
  ],
  options: {
    json: { flag: true, description: 'As JSON.' },
    format: { valueName: 'NAME', description: 'How.', optional: true, read: (text) => ({ value: text }) },
    system: {
      repeated: '-D',
      valueName: 'NAME=VALUE',
      description: 'A property.',
      read: (text) => (text.includes('=') ? { value: text.split('=') } : { problem: 'must be NAME=VALUE' }),
    },
    file: { repeated: '-f', apart: true, valueName: 'FILE', description: 'A file.', read: (text) => ({ value: text }) },
    header: { repeated: '--header', valueName: 'LINE', description: 'A line.', read: (text) => ({ value: text }) },
  },
  examples: [],
  run: async ({ json, format, system }, { DIR, PATH }) =>
    [json satisfies boolean, format satisfies string | undefined, system, DIR satisfies string, PATH.length].length,
});

describe('arguments, flags and repeated options', () => {
  const nothing = { json: false, format: undefined, system: [], file: [], header: [] };

  it.each([
    [['a'], nothing, { DIR: 'a', PATH: [] }],
    [['a', 'b', 'c'], nothing, { DIR: 'a', PATH: ['b', 'c'] }],
    [['--json', 'a'], { ...nothing, json: true }, { DIR: 'a', PATH: [] }],
    [['a', '--format', 'x', 'b'], { ...nothing, format: 'x' }, { DIR: 'a', PATH: ['b'] }],
    [
      ['-Dx=1', 'a', '-Dy=', '-Dx=2'],
      {
        ...nothing,
        system: [
          ['x', '1'],
          ['y', ''],
          ['x', '2'],
        ],
      },
      { DIR: 'a', PATH: [] },
    ],
    [['--header', 'x: 1', 'a', '--header=y: =2'], { ...nothing, header: ['x: 1', 'y: =2'] }, { DIR: 'a', PATH: [] }],
    [['-f', 'x', 'a', '-fy', '-f', '-'], { ...nothing, file: ['x', 'y', '-'] }, { DIR: 'a', PATH: [] }],
    [['--json', '--', '--json', '-h'], { ...nothing, json: true }, { DIR: '--json', PATH: ['-h'] }],
  ])('are read from %j', (words, options, given) => {
    expect(readCommandLine(check, words)).toEqual({ wants: 'run', options, given });
  });

  it.each([
    [[], ['argument DIR is required']],
    [['a', '--json=yes'], ["option '--json' takes no value"]],
    [['--jsno', 'a'], ["unknown option '--jsno': did you mean '--json'?"]],
    [
      ['a', '-Dx', '-D'],
      ["option '-D' needs a value: -DNAME=VALUE", "option '-D' must be NAME=VALUE"],
    ],
    [['a', '--system', 'x'], ["unknown option '--system'"]],
    [['a', '-f'], ["option '-f' needs a value: -f FILE"]],
    [['a', '--header'], ["option '--header' needs a value: --header LINE"]],
    [['a', '--header', '--json'], ["option '--header' needs a value: --header LINE"]],
    [['a', '--heder', 'x'], ["unknown option '--heder': did you mean '--header'?"]],
    [['a', '--format'], ["option '--format' needs a value: NAME"]],
  ])('%j are refused', (words, problems) => {
    expect(readCommandLine(check, words)).toEqual({ wants: 'nothing', problems });
  });
});
