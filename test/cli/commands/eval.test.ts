import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

const folder = mkdtempSync(`${tmpdir()}/gatewarden-eval-`);
afterAll(() => rmSync(folder, { recursive: true }));

const evaluate = (words: readonly string[], input = '') =>
  runProgram(gatewarden, ['eval', ...words], { env: { ...process.env, SOME_NAME: 'some value' }, input });

function written(name: string, content: unknown): string {
  writeFileSync(`${folder}/${name}`, JSON.stringify(content));
  return `${folder}/${name}`;
}

describe('an expression', () => {
  it.each([
    [['a ${request.headers["X-Num"][0] + 1} ${env.SOME_NAME} ${system["a.b"]}', '-Da.b=c=d'], 'a 43 some value c=d'],
    [['&{foo}, ${&{foo} + 1}', '-Dfoo=3'], '3, 4'],
    [['&{some.name}'], 'some value'],
    [['&{no.such|default}'], 'default'],
    [['${contexts.router}'], expect.stringContaining('"remainingUri":"/a/b"')],
    [['${request.cookies}'], '{}'],
    [['--', '-${1}'], '-1'],
    [
      ['${find(request.uri.path, "^/a")}', '--json'],
      '{"outcome":"value","type":"Boolean","value":true,"asCondition":true}',
    ],
  ])('in %j evaluates to %s', async (words, line) => {
    const { code, stdout, stderr } = await evaluate(words);
    expect([code, stdout.trimEnd(), stderr]).toEqual([0, line, '']);
  });

  it.each([
    ['${requst.uri.path}', "'requst' is not known here and is always null; did you mean 'request'?"],
    ['${request.uri.pth}', "'uri' has no property 'pth', which is always null; did you mean 'path'?"],
  ])('%s evaluates to null with a warning', async (source, warning) => {
    const stderr = `gatewarden eval: warning: ${warning}\n`;
    expect(await evaluate([source])).toEqual({ code: 0, stdout: 'null\n', stderr });
  });

  it.each([
    [['${fnd(1)}'], "gatewarden eval: not an expression: the function 'fnd' does not exist; did you mean 'find'?\n"],
    [
      ['&{no.such}'],
      'gatewarden eval: not an expression: has the token &{no.such}, which has no value and no default; give it a value ' +
        'with -Dno.such=… or the variable NO_SUCH, or a default: &{no.such|…}\n',
    ],
    [['${1 % 0}'], 'gatewarden eval: the evaluation failed: the remainder of a division by zero\n'],
    [[], 'gatewarden eval: needs an expression, --script, or --jsonl and rows on the standard input\n'],
    [['${1}', '--jsonl'], 'gatewarden eval: takes no expression with --jsonl\n'],
  ])('that is wrong in %j is reported', async (words, stderr) => {
    expect(await evaluate(words)).toEqual({ code: 1, stdout: '', stderr });
  });

  it('that is wrong is a row with --json', async () => {
    const stdout = '{"outcome":"evalError","type":"ArithmeticException","value":null,"asCondition":false}\n';
    expect(await evaluate(['${1 % 0}', '--json'])).toEqual({ code: 1, stdout, stderr: '' });
  });
});

describe('a described request', () => {
  it('replaces the sample request', async () => {
    const file = written('request.json', {
      method: 'PUT',
      uri: 'https://shop.example:8443/x?y',
      headers: { 'X-A': ['1', '2'] },
      entity: { a: 1 },
      client: { remoteAddress: '192.0.2.1' },
    });
    const source =
      '${request.method} ${request.uri} ${request.headers["x-a"]} ${request.headers.host[0]} ' +
      '${request.entity.json.a} ${contexts.client.remoteAddress} ${contexts.client.isSecure}';
    expect(await evaluate([source, '--request', file])).toEqual({
      code: 0,
      stdout: 'PUT https://shop.example:8443/x?y [1, 2] shop.example:8443 1 192.0.2.1 true\n',
      stderr: '',
    });
  });

  it('that is not one is refused', async () => {
    const { code, stdout, stderr } = await evaluate(['${1}', '--request', written('bad.json', { methd: 'GET' })]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain("a request has no 'methd'");
  });
});

describe('rows on the standard input', () => {
  it('are answered in order and in the format of the vectors', async () => {
    const vectors = readFileSync(new URL('../../vectors/expressions.jsonl', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    const rows = vectors.map((line) => JSON.parse(line) as { expr: string });
    const input = rows.map(({ expr }) => JSON.stringify({ expr })).join('\n');
    const { code, stdout, stderr } = await evaluate(['--jsonl'], `${input}\n\n`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answers = stdout.trimEnd().split('\n');
    expect(answers.map((line, at) => ({ expr: rows[at]?.expr, ...JSON.parse(line) }))).toEqual(rows);
  });

  it('end the run where one is not a row, and name it', async () => {
    expect(await evaluate(['--jsonl'], '{"expr":"${1}"}\n{"expr":1}\n')).toEqual({
      code: 1,
      stdout: '{"outcome":"value","type":"Long","value":1,"asCondition":false}\n',
      stderr: 'gatewarden eval: line 2 of the standard input is not a row {"expr": "…"}\n',
    });
  });
});
