import type { Reading, RepeatedOption } from '../commands/command.ts';

/** `-Dname=value`, given any number of times. */
export const systemOption = {
  repeated: '-D',
  valueName: 'NAME=VALUE',
  description: 'System property: system[NAME] in expressions and the token &{NAME}.',
  read: readSystemProperty,
} as const satisfies RepeatedOption<readonly [string, string]>;

function readSystemProperty(text: string): Reading<readonly [string, string]> {
  const equals = text.indexOf('=');
  if (equals < 1) return { problem: `must be NAME=VALUE, not '${text}'` };
  return { value: [text.slice(0, equals), text.slice(equals + 1)] };
}
