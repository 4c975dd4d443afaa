import { expect, it } from 'vitest';
import { FailedEvaluations } from '../../../dataplane/routes/failed-evaluations.ts';

function recorded(): { failed: FailedEvaluations; lines: string[]; later(milliseconds: number): void } {
  const lines: string[] = [];
  let time = 0;
  const line = (level: string) => (fields: { expression: string }) => void lines.push(`${level} ${fields.expression}`);
  const failed = new FailedEvaluations({ warn: line('warn'), debug: line('debug') }, () => time);
  return { failed, lines, later: (milliseconds) => void (time += milliseconds) };
}

it('warns of each expression once a minute', () => {
  const { failed, lines, later } = recorded();
  failed.add('${a}', 'why');
  failed.add('${a}', 'why');
  failed.add('${b}', 'why');
  later(59_999);
  failed.add('${a}', 'why');
  later(1);
  failed.add('${a}', 'why');
  expect(lines).toEqual(['warn ${a}', 'debug ${a}', 'warn ${b}', 'debug ${a}', 'warn ${a}']);
});

it('tracks a limited number of expressions per minute', () => {
  const { failed, lines, later } = recorded();
  for (let i = 0; i < 1001; i++) failed.add(`\${${i}}`, 'why');
  expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(1000);
  later(60_000);
  failed.add('${1000}', 'why');
  expect(lines.at(-1)).toBe('warn ${1000}');
});
