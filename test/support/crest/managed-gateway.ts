import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { managedApi } from '../../../cli/actions/managed-api.ts';
import type { InstanceDirectories } from '../../../contract/reach.ts';
import { refusedRequest } from '../../../dataplane/audit/writer/audit-request.ts';
import { adminPort } from '../../../dataplane/supervisor/admin-port.ts';
import type { AskedAudit } from '../../../dataplane/supervisor/audit-endpoint.ts';
import type { PlaneStatus } from '../../../dataplane/supervisor/plane-options.ts';
import type { FolderContent } from '../gateways/instance-folder.ts';
import { type ServedInstance, serveInstance } from '../gateways/served-instance.ts';

/** Answer of the admin port. */
export interface ManagedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Body as JSON; empty for other bodies. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A gateway with an admin port that manages its routes. */
export interface ManagedGateway extends ServedInstance {
  readonly adminPort: number;
  /** Log lines of the endpoints, parsed. */
  readonly logged: readonly Readonly<Record<string, unknown>>[];
  /** Sends a request to the admin port, such as `GET /api/routes`. */
  send(line: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ManagedAnswer>;
  /** Sends a GET request to the gateway. */
  get(path: string): Promise<{ readonly status: number; readonly text: string }>;
}

function directoriesOf(instance: string): InstanceDirectories {
  return { instance, config: join(instance, 'config'), temp: join(instance, 'tmp') };
}

/** Surroundings of a managed gateway. */
export interface ManagedOptions {
  readonly audits?: AskedAudit;
  /** System properties. */
  readonly system?: Readonly<Record<string, string>>;
}

const noDryRun = (): Promise<never> => Promise.reject(new Error('no gateway unit serves'));
const NO_AUDITS: AskedAudit = { services: [], ask: async () => refusedRequest(404, 'there is no audit service') };

function endpoint(name: string, state: 'serving' | 'down') {
  const counts = { outstanding: 0, ejections: 0, failedProbes: 0, requests: { answered: 0, failed: 0 } };
  return { endpoint: name, state, ...counts };
}

const STATUS: PlaneStatus = {
  ...{ addresses: [], ready: true, draining: false, unitRestarts: 0 },
  backends: [
    {
      ...{ name: 'pool', route: 'shop', router: '_router' },
      endpoints: [endpoint('10.0.0.1:80', 'serving'), endpoint('10.0.0.2:80', 'down')],
    },
  ],
  units: [
    { number: 1, serving: true },
    { number: 2, serving: false },
  ],
};

export async function manageInstance(
  content: FolderContent,
  managesRoutes = true,
  { audits = NO_AUDITS, system = {} }: ManagedOptions = {},
): Promise<ManagedGateway> {
  const served = await serveInstance(content);
  const logged: Record<string, unknown>[] = [];
  const admin = adminPort({
    registry: new Registry(),
    ready: true,
    status: {},
    prefix: 'openig',
    isInPod: false,
    api: managedApi({
      instance: served.managed,
      mode: managesRoutes ? 'EVALUATION' : 'PRODUCTION',
      reach: { env: {}, system, directories: directoriesOf(served.path) },
      prefix: 'openig',
      log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
    })({ audits, status: () => STATUS, figures: () => new Map(), objects: () => [], dryRun: noDryRun }),
    monitoring: () => [],
    restartUnit: () => false,
    failed(error) {
      throw error;
    },
  });
  const { port } = await admin.listen({ host: '127.0.0.1', port: 0 });
  return {
    ...served,
    adminPort: port,
    logged,
    async send(line, body, headers = {}) {
      const [method = '', path = ''] = line.split(' ', 2);
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { ...json, ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
    },
    async get(path) {
      const response = await fetch(`http://127.0.0.1:${served.port}${path}`);
      return { status: response.status, text: await response.text() };
    },
    async close() {
      admin.close();
      await served.close();
    },
  };
}
