import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../cli/demo.ts', import.meta.url));
let demo: ChildProcess | undefined;

afterEach(async () => {
  if (demo?.exitCode === null && demo.signalCode === null) {
    demo.kill('SIGTERM');
    await once(demo, 'exit');
  }
});

/** Starts what `make run` starts, with PORT set, and collects what it prints. */
function startDemo(port: number) {
  demo = spawn(process.execPath, [program], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(demo, 'exit') as Promise<[number | null, string | null]>;
  return { demo, exited, lines: createInterface(demo.stdout!), errors: createInterface(demo.stderr!) };
}

describe('make run', () => {
  it('serves the demo backend through the gateway until Ctrl-C', async () => {
    const { demo, exited, lines } = startDemo(0);
    const urls = await printedUrls(lines);

    const greeting = (await (await fetch(urls.traffic)).json()) as { headers: Record<string, string> };
    expect(greeting.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(await statusOf(`${urls.traffic}/a/%2e%2e/b`)).toBe(400);
    expect((await fetch(urls.ready)).status).toBe(200);
    expect((await fetch(urls.metrics)).status).toBe(200);

    demo.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  });

  it('says so when the port that was asked for is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;

    const { errors, exited } = startDemo(port);

    expect(await once(errors, 'line')).toEqual([`PORT=${port} is not a free port of 127.0.0.1.`]);
    expect(await exited).toEqual([1, null]);
    squatter.close();
  });
});

/** Reads the introduction up to the line that ends it; fails when the demo ends before that. */
async function printedUrls(lines: AsyncIterable<string>) {
  let text = '';
  for await (const line of lines) {
    text += `${line}\n`;
    if (line.includes('Ctrl-C stops both')) break;
  }
  const urls = /listens on (?<traffic>\S+)[\s\S]*Health and metrics: (?<ready>\S+) and (?<metrics>\S+)/.exec(
    text,
  )?.groups;
  expect(urls, text).toBeDefined();
  return urls as { traffic: string; ready: string; metrics: string };
}

/** Asks for exactly the path in the text; `fetch` would resolve the dots first. */
async function statusOf(url: string): Promise<number | undefined> {
  const { host, path } = /^http:\/\/(?<host>[^/]+)(?<path>.*)$/.exec(url)!.groups as { host: string; path: string };
  const [hostname, port] = host.split(':') as [string, string];
  const [response] = await once(get({ hostname, port, path }), 'response');
  response.resume();
  return response.statusCode;
}
