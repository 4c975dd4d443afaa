import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scriptOptions } from '../../platform/script-options.ts';
import { startDemoBackend } from '../actions/demo-backend.ts';

const host = '127.0.0.1';
const example = 'examples/first-steps';

const USAGE = `usage: npm run demo
Starts a demo backend and the gateway in front of it with ${example}, until Ctrl-C. PORT=… chooses the port (8080).
`;

scriptOptions(USAGE, {});
process.exitCode = await demo();

/** What `make run` starts: a backend and the gateway in front of it with the first example, until Ctrl-C. */
async function demo(): Promise<number> {
  const port = await choosePort();
  if (port === undefined) return 1;
  const adminPort = (await freePort(9090)) ?? (await freePort(0))!;
  const backend = await startDemoBackend();
  const gateway = startGateway(backend.url, port, adminPort);
  passSignals(gateway);
  const ended = once(gateway, 'close');
  passOutput(gateway, introduction(port, adminPort));
  const [code] = (await ended) as [number | null];
  backend.server.close();
  backend.server.closeAllConnections();
  return code ?? 0;
}

/** The port that PORT asks for, or 8080, or a free one with a sentence that says so. */
async function choosePort(): Promise<number | undefined> {
  const asked = process.env['PORT'];
  if (asked === undefined || asked === '') {
    const port = await freePort(8080);
    if (port !== undefined) return port;
    const other = await freePort(0);
    process.stdout.write(
      `Port 8080 is in use, so the gateway listens on ${other} this time. PORT=… chooses another.\n`,
    );
    return other;
  }
  const port = /^\d{1,5}$/.test(asked) && Number(asked) < 65_536 ? await freePort(Number(asked)) : undefined;
  if (port === undefined) process.stderr.write(`PORT=${asked} is not a free port of ${host}.\n`);
  return port;
}

/** Resolves to the port, a free one for 0, or undefined when it cannot be had. */
async function freePort(wanted: number): Promise<number | undefined> {
  const probe = createServer();
  try {
    probe.listen(wanted, host);
    await once(probe, 'listening');
  } catch {
    return undefined;
  }
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

function startGateway(backendUrl: string, port: number, adminPort: number): ChildProcess {
  const program = fileURLToPath(new URL('../gatewarden', import.meta.url));
  const folder = fileURLToPath(new URL(`../../${example}`, import.meta.url));
  const addresses = ['--host', host, '--port', String(port), '--admin', `${host}:${adminPort}`];
  // its standard output is a pipe, and this one may be a terminal
  const format = ['--access-log-format', process.stdout.isTTY ? 'text' : 'json'];
  const words = ['run', folder, ...addresses, ...format, '--watch', `-Dbackend.url=${backendUrl}`];
  // In a process group of its own, the gateway gets no signal from the terminal beside the one passed on.
  return spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
}

/** Passes stop signals on; one Ctrl-C arrives here from the terminal and again from npm, and must count once. */
function passSignals(gateway: ChildProcess): void {
  let lastPassed = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (Date.now() - lastPassed < 500) return;
      lastPassed = Date.now();
      gateway.kill('SIGTERM');
    });
  }
  process.on('exit', () => gateway.kill());
}

/** Passes on what the gateway prints, and puts the introduction behind the last line of what it says at the start. */
function passOutput(gateway: ChildProcess, text: string): void {
  let isIntroduced = false;
  createInterface(gateway.stdout!).on('line', (line) => {
    process.stdout.write(`${line}\n`);
    if (isIntroduced || !line.startsWith('metrics ')) return;
    isIntroduced = true;
    process.stdout.write(text);
  });
}

function introduction(port: number, adminPort: number): string {
  const url = `http://${host}:${port}`;
  const admin = `http://${host}:${adminPort}`;
  return `
Gatewarden listens on ${url} and serves ${example} with a demo backend behind it.

Try in another terminal:
  curl '${url}/hello?name=Ada'
      an answer of the gateway itself
  curl -i ${url}/headers
      headers that the gateway adds and removes, in the request and in the response
  curl ${url}/shop/
      a path that the backend knows under another name
  curl -i -X POST ${url}/readers/
      a request that does not meet a condition
  curl -N ${url}/stream
      streamed events
  curl -i --path-as-is ${url}/shop/%2e%2e/readers
      an ambiguous path, rejected before any route sees it

Changes of the files in ${example}/config/routes take effect at once.
${example}/README.md is the next page to read.

Console: ${admin}/console/
Health and metrics: ${admin}/health/ready and ${admin}/openig/metrics/prometheus
The lines below are the access log. Ctrl-C stops both.

`;
}
