import type { Argument, Command, Option } from '../commands/command.ts';
import { columns, indent, lineWidth, wrap } from './text-layout.ts';

/** The help of the whole program. */
export function programHelp(commands: readonly Command[]): string {
  const rows = commands.map((command) => [command.name, command.summary] as const);
  return [
    'gatewarden: an identity-aware gateway for Kubernetes',
    '',
    'Usage: gatewarden COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...columns([...rows, ['help COMMAND', 'print the description and the options of a command']]),
    '',
    'Options:',
    ...columns([
      ['--help', 'print this help; after a command, the help of that command'],
      ['--version', 'print the version'],
    ]),
    '',
  ].join('\n');
}

/** The help of one command, derived from its declaration. */
export function commandHelp(command: Command): string {
  const required: string[] = [];
  const rows: [string, string][] = [];
  for (const [name, option] of Object.entries(command.options)) {
    const head = optionHead(name, option);
    if (isRequired(option)) required.push(head);
    rows.push([head, `${option.description} ${whenLeftOut(option)}`.trimEnd()]);
  }
  rows.push(['--help', 'Print this help.']);
  const examples = command.examples.flatMap(({ command: line, effect }) => [
    `${indent}${line}`,
    ...wrap(effect, lineWidth - 6).map((text) => `${indent}    ${text}`),
  ]);
  const words = command.arguments ?? [];
  return [
    `Usage: ${['gatewarden', command.name, ...words.map(argumentHead), ...required, '[OPTIONS]'].join(' ')}`,
    '',
    ...wrap(command.description, lineWidth),
    '',
    ...(words.length === 0 ? [] : ['Arguments:', ...columns(words.map(argumentRow)), '']),
    'Options:',
    ...columns(rows),
    '',
    'Examples:',
    ...examples,
    '',
  ].join('\n');
}

function optionHead(name: string, option: Option): string {
  if ('flag' in option) return `--${name}`;
  if (!('repeated' in option)) return `--${name} ${option.valueName}`;
  const gap = option.repeated.startsWith('--') || option.apart === true ? ' ' : '';
  return `${option.repeated}${gap}${option.valueName}`;
}

function isRequired(option: Option): boolean {
  return !('flag' in option || 'repeated' in option) && option.default === undefined && option.optional !== true;
}

function whenLeftOut(option: Option): string {
  if (isRequired(option)) return 'Required.';
  if ('repeated' in option) return 'May be given several times.';
  return 'default' in option && option.default !== undefined ? `Default: ${option.default}` : '';
}

function argumentHead({ name, optional, many }: Argument): string {
  const head = many === true ? `${name}…` : name;
  return optional === true ? `[${head}]` : head;
}

function argumentRow({ name, description }: Argument): readonly [string, string] {
  return [name, description];
}
