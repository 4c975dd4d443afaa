import { format, inspect } from 'node:util';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Secret } from '../../contract/secret.ts';

it('cannot be printed, serialised or inspected', () => {
  const secret = new Secret('hunter2');
  const lines: string[] = [];
  pino({}, { write: (line: string) => lines.push(line) }).info({ secret, nested: { secret } }, 'said %s', secret);
  const shown = [
    String(secret),
    `${secret}`,
    `${secret as unknown as string}`.concat(secret as unknown as string),
    JSON.stringify({ secret }),
    inspect(secret, { depth: 10, showHidden: true }),
    inspect({ secret }, { customInspect: false, showHidden: true, depth: 10 }),
    format('%s %o %j', secret, secret, secret),
    JSON.stringify(Object.entries(secret)),
    ...Object.values(secret).map(String),
    ...lines,
  ];
  for (const text of shown) expect(text).not.toContain('hunter2');
});

it('can be compared and handed out', () => {
  const secret = new Secret('pässword');
  expect(secret.equals('pässword')).toBe(true);
  expect(secret.equals('password')).toBe(false);
  expect(secret.equals('')).toBe(false);
  expect(Buffer.from(secret.reveal()).toString('utf8')).toBe('pässword');
  secret.reveal().fill(0);
  expect(secret.equals('pässword')).toBe(true);
});
