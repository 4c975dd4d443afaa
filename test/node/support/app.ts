import type { TestNode } from './test-node.ts';

/** What an application answers to requests, except for `…/held`: that is held until the Pod gets `/release`. */
export interface AppAnswer {
  readonly app: string;
  readonly pod: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const script = `
  import { createServer } from 'node:http';
  import { hostname } from 'node:os';
  const { APP, HOST, PORT } = process.env;
  const held = new Set();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const { url, headers } = request;
    if (url === '/release') for (const one of held) one.end('released');
    if (url.endsWith('/held')) {
      held.add(response);
      response.write(hostname() + ' ');
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ app: APP, pod: hostname(), path: url, headers }));
  });
  server.listen(Number(PORT), HOST, () => console.log('listening'));
  process.on('SIGTERM', () => server.close());
`;

/** An application without any gateway in it, as a Deployment with a Service on port 80. */
export interface AppWish {
  readonly namespace: string;
  readonly name: string;
  /** Address that it listens on; by default every one. */
  readonly host?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Port of the Pod that the Service goes to; by default that of the application. */
  readonly targetPort?: number;
  /** Number of Pods, which are ready when they listen; by default one, ready when it has started. */
  readonly replicas?: number;
}

/** Port that applications listen on in their Pods. */
export const APP_PORT = 8000;

/** Applies it, and waits until it answers. */
export async function runApp(node: TestNode, wish: AppWish): Promise<void> {
  const { namespace, name, host = '0.0.0.0', labels = {}, annotations = {}, targetPort = APP_PORT, replicas } = wish;
  const metadata = { name, namespace };
  const container = {
    name: 'app',
    image: node.image,
    imagePullPolicy: 'Never',
    command: ['/usr/local/bin/node', '/app/app.mjs'],
    env: Object.entries({ APP: name, HOST: host, PORT: String(APP_PORT) }).map(([key, value]) => ({
      name: key,
      value,
    })),
    ports: [{ containerPort: APP_PORT }],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    volumeMounts: [{ name: 'script', mountPath: '/app' }],
    ...(replicas !== undefined && { readinessProbe: { tcpSocket: { port: APP_PORT }, periodSeconds: 1 } }),
  };
  const spec = {
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    terminationGracePeriodSeconds: 5,
    containers: [container],
    volumes: [{ name: 'script', configMap: { name } }],
  };
  await node.apply(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'app.mjs': script } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        ...(replicas !== undefined && { replicas }),
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name, ...labels }, annotations }, spec },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: { app: name }, ports: [{ port: 80, targetPort }] },
    },
  );
  await node.kubectl(['rollout', 'status', `deployment/${name}`, '-n', namespace, '--timeout=300s']);
}
