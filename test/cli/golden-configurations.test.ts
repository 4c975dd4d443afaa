import { describe, expect, it } from 'vitest';
import { goldenCases, goldenFile, inLines, outcomeOf } from '../support/programs/golden-case.ts';
import { gatewarden, runProgram } from '../support/programs/run-program.ts';

const cases = goldenCases();
const regenerate = "if the change is meant, 'npm run golden' writes the file anew";

describe('golden configurations', () => {
  it.each(cases)('$name produces the expected problems and snapshot', async (golden) => {
    for (const [file, content] of Object.entries(await outcomeOf(golden))) {
      expect(content, `${golden.directory}/${file}: ${regenerate}`).toBe(goldenFile(golden.name, file));
    }
  });

  it('are many, and about half of them are bad', () => {
    const bad = cases.filter(({ name }) => !goldenFile(name, 'problems.txt')?.includes(': 0 errors'));
    expect(cases.length).toBeGreaterThanOrEqual(44);
    expect(bad.length / cases.length).toBeGreaterThan(0.4);
    expect(bad.length / cases.length).toBeLessThan(0.7);
  });

  it('never print values of the environment', () => {
    const told = cases.flatMap(({ name, given }) =>
      Object.values(given.env).filter((value) => goldenFile(name, 'problems.txt')?.includes(value)),
    );
    expect(told).toEqual([]);
  });

  it.each(
    cases.filter(({ name }) => ['tokens', 'wrong-values', 'config-is-an-array', 'groovy-scripts'].includes(name)),
  )('$name is what the commands print', async ({ name, directory, given: { system, env } }) => {
    const words = [directory, ...Object.entries(system).map(([key, value]) => `-D${key}=${value}`)];
    const options = { env: { PATH: process.env['PATH'], ...env } };
    const check = await runProgram(gatewarden, ['check', ...words], options);
    const problems = goldenFile(name, 'problems.txt')!;
    expect(check).toEqual({ code: problems.includes(': 0 errors') ? 0 : 1, stdout: problems, stderr: '' });
    const compile = await runProgram(gatewarden, ['compile', ...words], options);
    expect(compile.stdout === '' ? null : inLines(compile.stdout)).toBe(goldenFile(name, 'snapshot.json'));
    expect(compile.code).toBe(check.code);
  });
});
