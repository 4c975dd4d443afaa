import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDemoBackend } from './demo-backend.ts';

const host = '127.0.0.1';

process.exitCode = await demo();

/** What `make run` starts: a backend and the gateway in front of it, until Ctrl-C. */
async function demo(): Promise<number> {
  const port = await choosePort();
  if (port === undefined) return 1;
  const adminPort = (await freePort(9090)) ?? (await freePort(0))!;
  const backend = await startDemoBackend();
  const gateway = startGateway(backend.url, port, adminPort);
  passSignals(gateway);
  const exited = once(gateway, 'exit');

  if (await accepts(port, gateway)) process.stdout.write(introduction(port, adminPort, backend.url));
  const [code] = (await exited) as [number | null];
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
    process.stdout.write(`Port 8080 is taken, so the gateway listens on ${other} this time. PORT=… chooses another.\n`);
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
  const program = fileURLToPath(new URL('./gatewarden', import.meta.url));
  const words = ['proxy', '--listen', `${host}:${port}`, '--to', backendUrl, '--admin', `${host}:${adminPort}`];
  // In a process group of its own, the gateway gets no signal from the terminal beside the one passed on.
  return spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
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

/** Resolves to true once the port accepts connections, or to false when the gateway ended first. */
async function accepts(port: number, gateway: ChildProcess): Promise<boolean> {
  while (gateway.exitCode === null && gateway.signalCode === null) {
    const socket = connect(port, host);
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      await pause(20);
    } finally {
      socket.destroy();
    }
  }
  return false;
}

function introduction(port: number, adminPort: number, backendUrl: string): string {
  const url = `http://${host}:${port}`;
  const admin = `http://${host}:${adminPort}`;
  return `
Gatewarden listens on ${url} and forwards to the demo backend on ${backendUrl}.

Three things to try in another terminal:
  curl -i ${url}/
      the headers as the backend receives them
  curl -N ${url}/stream
      events that pass as they come
  curl -i --path-as-is ${url}/a/%2e%2e/b
      a path that can be read in two ways, refused before the backend sees it

Health and metrics: ${admin}/health/ready and ${admin}/metrics
The lines below are the access log. Ctrl-C stops both.

`;
}
