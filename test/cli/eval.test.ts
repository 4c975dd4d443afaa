import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { gatewarden, runProgram } from '../support/run-program.ts';

const folder = mkdtempSync(`${tmpdir()}/gatewarden-eval-`);
afterAll(() => rmSync(folder, { recursive: true }));

const evaluate = (words: readonly string[], input?: string) =>
  runProgram(gatewarden, ['eval', ...words], {
    env: { ...process.env, SOME_NAME: 'some value' },
    ...(input === undefined ? {} : { input }),
  });

function written(name: string, content: unknown): string {
  writeFileSync(`${folder}/${name}`, typeof content === 'string' ? content : JSON.stringify(content));
  return `${folder}/${name}`;
}

describe('an expression', () => {
  it.each([
    [['${request.uri.path}'], '/a/b'],
    [['a ${request.headers["X-Num"][0] + 1}'], 'a 43'],
    [['${3 / 2.0}'], '1.5'],
    [['${nosuch}'], 'null'],
    [['${request.headers["X-Str"]}'], '["abc"]'],
    [['${env.SOME_NAME} ${system["a.b"]}', '-Da.b=c=d'], 'some value c=d'],
    [['--', '-${1}'], '-1'],
    [['${1 + 1}', '--json'], '{"outcome":"value","type":"Long","value":2,"asCondition":false}'],
    [
      ['${find(request.uri.path, "^/a")}', '--json'],
      '{"outcome":"value","type":"Boolean","value":true,"asCondition":true}',
    ],
    [['${4.0}', '--json'], '{"outcome":"value","type":"Double","value":4.0,"asCondition":false}'],
    [['${-1 / 0}', '--json'], '{"outcome":"value","type":"Double","value":"-Infinity","asCondition":false}'],
    [['${digestSha256("")}', '--json'], expect.stringContaining('"type":"byte[]","value":"47DEQpj8')],
    [
      ['${toJson("{\\"a\\":[1,null]}")}', '--json'],
      '{"outcome":"value","type":"Map","value":{"a":[1,null]},"asCondition":false}',
    ],
    [['${request.uri}', '--json'], expect.stringContaining('"value":"http://gw.test/a/b?x=1&y=two"')],
  ])('in %j gives %s', async (words, line) => {
    const { code, stdout, stderr } = await evaluate(words);
    expect({ code, stderr, line: stdout.trimEnd() }).toEqual({ code: 0, stderr: '', line });
  });

  it.each([
    [['${1+}'], "gatewarden eval: not an expression: expected a value but found '}' at character 5\n"],
    [['${fnd(1)}'], "gatewarden eval: not an expression: the function 'fnd' does not exist; did you mean 'find'?\n"],
    [['${1 % 0}'], 'gatewarden eval: the evaluation failed: the remainder of a division by zero\n'],
    [[], 'gatewarden eval: needs an expression, or --jsonl and rows on the standard input\n'],
    [['${1}', '--jsonl'], 'gatewarden eval: takes no expression with --jsonl\n'],
  ])('that is wrong in %j says so', async (words, stderr) => {
    expect(await evaluate(words)).toEqual({ code: 1, stdout: '', stderr });
  });

  it('that is wrong is a row with --json', async () => {
    const stdout = '{"outcome":"evalError","type":"ArithmeticException","value":null,"asCondition":false}\n';
    expect(await evaluate(['${1 % 0}', '--json'])).toEqual({ code: 1, stdout, stderr: '' });
  });
});

describe('a described request', () => {
  it('takes the place of the sample', async () => {
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
    expect(await evaluate([source, '--request', file])).toMatchObject({
      code: 0,
      stdout: 'PUT https://shop.example:8443/x?y [1, 2] shop.example:8443 1 192.0.2.1 true\n',
    });
  });

  it('may be little, and its headers lines', async () => {
    const file = written('lines.json', { uri: '/p', headers: ['X-A: 1', 'X-A:2'] });
    expect(await evaluate(['${request.uri} ${request.headers["x-a"]}', '--request', file])).toMatchObject({
      stdout: 'http://gw.test/p [1, 2]\n',
    });
  });

  it.each([
    ['not JSON', '{', 'JSON'],
    ['a list', '[]', 'a request is a JSON object'],
    ['of other fields', { methd: 'GET' }, "a request has no 'methd': did you mean 'method'?"],
    ['with a bad header', { headers: ['X'] }, "'X' is not a header line such as 'Name: value'"],
    ['with a bad URI', { uri: 'shop' }, 'not an absolute URI'],
  ])('that is %s is refused', async (_, content, message) => {
    const { code, stdout, stderr } = await evaluate(['${1}', '--request', written('bad.json', content)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('that is not there is refused', async () => {
    expect(await evaluate(['${1}', '--request', `${folder}/none.json`])).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('rows on the standard input', () => {
  it('are answered in order and in the words of the vectors', async () => {
    const vectors = readFileSync(new URL('../vectors/expressions.jsonl', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    const rows = vectors.map((line) => JSON.parse(line) as { expr: string });
    const input = rows.map(({ expr }) => JSON.stringify({ expr })).join('\n');
    const { code, stdout, stderr } = await evaluate(['--jsonl'], `${input}\n\n`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line, at) => ({ expr: rows[at]!.expr, ...JSON.parse(line) }));
    expect(answers).toEqual(rows);
  });

  it.each(['x', '{}', '{"expr":1}', 'null'])('that are not rows (%s) end the run with their number', async (line) => {
    const { code, stdout, stderr } = await evaluate(['--jsonl'], `{"expr":"\${1}"}\n${line}\n`);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'gatewarden eval: line 2 of the standard input is not a row {"expr": "…"}\n',
    });
    expect(stdout).toBe('{"outcome":"value","type":"Long","value":1,"asCondition":false}\n');
  });
});
