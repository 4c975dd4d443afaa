import { expect, it } from 'vitest';
import { verdictReport } from '../../../cli/output/verdict-text.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { Verdict } from '../../../controller/compile/verdict.ts';

function verdictOf(content: object, problems: readonly Problem[]): Verdict {
  const file = { path: '/instance/config/routes/a.json', content: Buffer.from(JSON.stringify(content)) };
  return { file, role: 'route', serves: 'refuses', problems, route: null };
}

function unknown(key: string, severity: Problem['severity'] = 'error'): Problem {
  return { code: 'unknown-field', severity, path: [key], message: `there is no field '${key}' here` };
}

it('prints a hundred problems of a document, errors first, and counts the others', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `key${index}`);
  const problems = keys.map((key, index) => unknown(key, index === 19_999 ? 'error' : 'warning'));
  const { text, records } = verdictReport(verdictOf(Object.fromEntries(keys.map((key) => [key, '😀'])), problems));
  expect(records).toHaveLength(100);
  expect(records.at(-1)).toMatchObject({ severity: 'error', path: 'key19999', line: 1 });
  expect(text).toContain('a.json: … and 19900 more problems\n');
});

it('prints no line of a document that is too long to be checked for secrets', () => {
  const { text } = verdictReport(verdictOf({ a: 'x'.repeat(3_000_000), b: 1 }, [unknown('b')]));
  expect(text).toContain(
    "error: b: there is no field 'b' here [unknown-field]\n  at /instance/config/routes/a.json:1:",
  );
  expect(text).not.toContain('^');
});

it('cuts off a message that repeats a name of megabytes', () => {
  const { text, records } = verdictReport(verdictOf({ a: 1 }, [unknown('x'.repeat(3_000_000))]));
  expect(text.length).toBeLessThan(5_000);
  expect(records[0]!.message).toHaveLength(2_000);
});
