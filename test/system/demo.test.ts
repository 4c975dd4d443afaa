import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../cli/commands/demo.ts', import.meta.url));
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
  // all that it printed has been read when it is closed
  const exited = once(demo, 'close') as Promise<[number | null, string | null]>;
  return { demo, exited, lines: createInterface(demo.stdout!), errors: createInterface(demo.stderr!) };
}

describe('make run', () => {
  it('serves the demo backend through the gateway until Ctrl-C', async () => {
    const { demo, exited, lines } = startDemo(0);
    const { urls, commands, rest } = await printed(lines);

    expect(commands).toHaveLength(6);
    expect(await textOf(`${urls.traffic}/hello?name=Ada`)).toBe('Hello, Ada.\n');
    const headers = await fetch(`${urls.traffic}/headers`);
    expect(headers.headers.get('x-served-by')).toBe('gatewarden');
    expect(await headers.json()).toMatchObject({ target: '/', headers: { 'x-forwarded-for': '127.0.0.1' } });
    expect(JSON.parse(await textOf(`${urls.traffic}/shop/`))).toMatchObject({ target: '/' });
    expect((await fetch(`${urls.traffic}/readers/`, { method: 'POST' })).status).toBe(405);
    expect(await textOf(`${urls.traffic}/stream`)).toMatch(/^id: 1\n[\s\S]*\nid: 5\n/);
    expect(await statusOf(`${urls.traffic}/shop/%2e%2e/readers`)).toBe(400);
    expect((await fetch(urls.ready)).status).toBe(200);
    expect(await textOf(urls.metrics)).toContain('gw_route_request_total{name="10-hello"');

    demo.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    expect(rest.some((line) => line.includes('"path":"/hello"'))).toBe(true);
  });

  it('reports that the requested port is in use', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;

    const { errors, exited } = startDemo(port);

    expect(await once(errors, 'line')).toEqual([`PORT=${port} is not a free port of 127.0.0.1.`]);
    expect(await exited).toEqual([1, null]);
    squatter.close();
  });
});

/** Reads the introduction up to the line that ends it; `rest` collects what comes after it. */
async function printed(lines: Interface) {
  const all: string[] = [];
  lines.on('line', (line) => all.push(line));
  const isWhole = () => all.some((line) => line.includes('Ctrl-C stops both'));
  while (!isWhole()) await Promise.race([once(lines, 'line'), once(lines, 'close').then(failed)]);
  const text = all.splice(0).join('\n');
  const urls = /listens on (?<traffic>\S+)[\s\S]*Health and metrics: (?<ready>\S+) and (?<metrics>\S+)/.exec(
    text,
  )?.groups;
  expect(urls, text).toBeDefined();
  const commands = [...text.matchAll(/^ {2}curl .*$/gm)].map(([line]) => line.trim());
  return { urls: urls as { traffic: string; ready: string; metrics: string }, commands, rest: all };

  function failed(): never {
    throw new Error(`it ended: ${all.join('\n')}`);
  }
}

async function textOf(url: string): Promise<string> {
  return (await fetch(url)).text();
}

/** Asks for exactly the path in the text; `fetch` would resolve the dots first. */
async function statusOf(url: string): Promise<number | undefined> {
  const { host, path } = /^http:\/\/(?<host>[^/]+)(?<path>.*)$/.exec(url)!.groups as { host: string; path: string };
  const [hostname, port] = host.split(':') as [string, string];
  const [response] = await once(get({ hostname, port, path }), 'response');
  response.resume();
  return response.statusCode;
}
