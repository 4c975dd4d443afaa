import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { ask } from '../support/clients/answers.ts';
import { gatewarden } from '../support/programs/run-program.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const CTRL_C = '\u0003';

let backend: EchoBackend;
let child: ChildProcess | undefined;

beforeAll(async () => {
  backend = await EchoBackend.start();
  return () => backend.close();
});
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
});

/** Serves one request and stops. @returns all that was printed. */
async function serve(
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  stop: () => void,
): Promise<string> {
  const started = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  child = started;
  let printed = '';
  const ended = once(started, 'close');
  const port = new Promise<number>((resolve, reject) => {
    const take = (text: string): void => {
      printed += text;
      const [, found] = /"http:\/\/127\.0\.0\.1:(\d+)"/.exec(printed) ?? [];
      if (found !== undefined) resolve(Number(found));
    };
    started.stdout.setEncoding('utf8').on('data', take);
    started.stderr.setEncoding('utf8').on('data', take);
    void ended.then(() => reject(new Error(`it ended: ${printed}`)));
  });
  const answer = await ask(await port, 'GET /orders?token=secret HTTP/1.1\r\nHost: shop.example\r\n');
  expect(answer.status).toBe(200);
  stop();
  await ended;
  return printed.replaceAll('\r\n', '\n');
}

const proxy = (): string[] => [
  'proxy',
  '--to',
  backend.url,
  '--listen',
  '127.0.0.1:0',
  '--admin',
  'off',
  '--units',
  '1',
];

/** The same where standard output and standard error are a terminal, as `script` makes one. */
function onTerminal(words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const command = [gatewarden, ...proxy(), ...words].join(' ');
  return serve('script', ['-qec', command, '/dev/null'], env, () => void child!.stdin!.write(CTRL_C));
}

function piped(words: readonly string[]): Promise<string> {
  return serve(gatewarden, [...proxy(), ...words], {}, () => void child!.kill('SIGTERM'));
}

const ESCAPES = /\u001b\[\d+m/g;
const REQUEST =
  /^\S+Z 200 +\d+\.\d\dms +\d+\.\d\dms GET {5}shop\.example\/orders backend=127\.0\.0\.1:\d+ requestId=[0-9a-f]{32}$/m;
const LISTENING = /^\S+Z INFO {2}listening addresses=\["http:\/\/127\.0\.0\.1:\d+"\] units=1$/m;

describe('logs on a terminal', () => {
  it('are text in colours', async () => {
    const printed = await onTerminal([], { NO_COLOR: '' });
    expect(printed).toContain('\u001b[32m200\u001b[0m');
    const plain = printed.replaceAll(ESCAPES, '');
    expect(plain).toMatch(REQUEST);
    expect(plain).toMatch(LISTENING);
    expect(plain).not.toContain('secret');
  });

  it('are text without colours where NO_COLOR is set', async () => {
    const printed = await onTerminal([], { NO_COLOR: '1' });
    expect(printed).not.toContain('\u001b');
    expect(printed).toMatch(REQUEST);
    expect(printed).toMatch(LISTENING);
  });

  it('are JSON if the options ask for it', async () => {
    const printed = await onTerminal(['--log-format', 'json', '--access-log-format', 'json'], { NO_COLOR: '' });
    const lines = printed
      .trim()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const said = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(said).toEqual(expect.arrayContaining(['listening', 'request', 'stopped']));
    expect(printed).not.toContain('\u001b');
  });
});

describe('logs in a pipe', () => {
  it('are JSON lines with ISO 8601 times', async () => {
    const lines = (await piped([]))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ msg }) => msg).toSorted()).toEqual(['draining', 'listening', 'request', 'stopped']);
    for (const { time } of lines) expect(time).toMatch(ISO);
  });

  it('are text without colours if the options ask for it', async () => {
    const printed = await piped(['--log-format', 'text', '--access-log-format', 'text']);
    expect(printed).not.toContain('\u001b');
    expect(printed).toMatch(REQUEST);
    expect(printed).toMatch(LISTENING);
  });
});
