import { endAtStopSignal, onStopSignal } from '../actions/stop-signals.ts';
import { readAddress } from '../options/address.ts';
import { readBackend } from '../options/backend.ts';
import { planeOptions, readUnits } from '../options/plane-options.ts';
import { defineCommand, type Reading } from './command.ts';

/** The engine with no policy in front of one backend. */
export const proxyCommand = defineCommand({
  name: 'proxy',
  summary: 'forward every request to one backend, with no policy in front of it',
  description:
    'Accepts HTTP/1.1 and HTTP/2 on one address and forwards every request to one backend. Malformed and ambiguous requests ' +
    'are rejected, forwarding headers are set, and requests are logged and counted; there are no other decisions. ' +
    'SIGTERM and SIGINT stop accepting and let running requests finish; a second signal ends the process at once.',
  options: {
    listen: {
      valueName: 'ADDR',
      description: 'Address to accept clients on: HOST:PORT, [IPV6]:PORT, or :PORT for every interface.',
      read: readAddress,
    },
    to: {
      valueName: 'URL',
      description: 'Backend to forward to: http://HOST:PORT, with a base path if wanted, or unix:/PATH.',
      read: readBackend,
    },
    units: {
      valueName: 'N',
      description: 'Number of event loops that share the port; "cores" means one for each processor core.',
      default: 'cores',
      read: readUnits,
    },
    'access-log': planeOptions['access-log'],
    'access-log-format': planeOptions['access-log-format'],
    admin: planeOptions.admin,
    'log-level': planeOptions['log-level'],
    'log-format': planeOptions['log-format'],
    'trusted-proxies': planeOptions['trusted-proxies'],
    connections: {
      valueName: 'N',
      description: 'Most connections to the backend for each unit; further requests wait.',
      default: '1024',
      read: readConnections,
    },
    limits: planeOptions.limits,
    'drain-delay': planeOptions['drain-delay'],
    'drain-timeout': planeOptions['drain-timeout'],
  },
  examples: [
    {
      command: 'gatewarden proxy --listen :8080 --to http://127.0.0.1:3000',
      effect: 'Serve a local application on port 8080 of every interface.',
    },
    {
      command: 'gatewarden proxy --listen 127.0.0.1:8080 --to unix:/run/app.sock --units 1 --access-log off',
      effect: 'Run as a sidecar would: one event loop, an application on a Unix-domain socket, no access log.',
    },
  ],
  async run(options) {
    endAtStopSignal();
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { startPlane } = await import('../../dataplane/supervisor/plane.ts');
    const { programLogStyle } = await import('../../dataplane/log/program-log.ts');
    const { CannotListen } = await import('../../dataplane/supervisor/cannot-listen.ts');
    const { cannotListenText } = await import('../output/cannot-listen-text.ts');
    const { to } = options;
    const started = startPlane({
      connectors: [{ scheme: 'http', ...options.listen, limits: options.limits }],
      serving: {
        kind: 'backend',
        destination: to.kind === 'unix' ? { path: to.socket } : { host: to.host, port: to.port },
        basePath: to.kind === 'unix' ? '' : to.basePath,
        connections: options.connections,
      },
      units: options.units,
      accessLog: options['access-log'],
      accessLogFormat: options['access-log-format'],
      logLevel: options['log-level'],
      logStyle: programLogStyle(options['log-format']),
      admin: options.admin,
      trustedProxies: options['trusted-proxies'],
      drainDelay: options['drain-delay'],
      drainTimeout: options['drain-timeout'],
    });
    const plane = await started.catch((error: unknown) => {
      if (!(error instanceof CannotListen)) throw error;
      throw new Error(cannotListenText(error, { host: 'listen', port: 'listen', connectors: 1 }));
    });
    onStopSignal(() => plane.drain());
    await plane.closed;
    return 0;
  },
});

function readConnections(text: string): Reading<number> {
  const connections = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  return connections > 0 ? { value: connections } : { problem: `must be a number from 1 to 999999, not '${text}'` };
}
