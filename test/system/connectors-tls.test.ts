import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterEach, expect, it, vi } from 'vitest';
import { ask } from '../support/clients/answers.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { type FolderContent, InstanceFolder } from '../support/gateways/instance-folder.ts';
import { certificateAuthority } from '../support/identity/certificates.ts';
import { gatewarden, runProgram } from '../support/programs/run-program.ts';

const authority = certificateAuthority('the authority');
const first = authority.issue({ names: ['gateway.test'], commonName: 'first' });
const second = authority.issue({ names: ['gateway.test'], commonName: 'second' });

let folder: InstanceFolder;
let gateway: GatewayProcess | undefined;
const sockets: TLSSocket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
});

const keys = (name: string, signingSecretId: string): object => ({
  name,
  type: 'ServerTlsOptions',
  config: {
    keyManager: { type: 'SecretsKeyManager', config: { signingSecretId, secretsProvider: 'store' } },
  },
});
const store = {
  name: 'store',
  type: 'FileSystemSecretStore',
  config: { directory: '&{ig.instance.dir}/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
};
const hello = {
  handler: {
    type: 'StaticResponseHandler',
    config: { status: 200, entity: '${request.uri.scheme} ${contexts.client.isSecure} ${request.version}' },
  },
};
const content = (more: object = {}): FolderContent => ({
  'secrets/server.tls.pem': first.pem,
  'config/admin.json': {
    connectors: [{ port: 1 }, { port: 2, tls: 'keys' }],
    heap: [store, keys('keys', 'server.tls')],
    ...more,
  },
  'config/config.json': hello,
});

async function run(files: FolderContent, words: readonly string[] = []): Promise<void> {
  folder = new InstanceFolder(files);
  gateway = await GatewayProcess.run(folder.path, ['--port', '0,0', ...words]);
}

const ports = (): number[] => gateway!.addresses.map((address) => Number(/:(\d+)$/.exec(address)?.[1]));

/** Shakes hands with the connector that speaks TLS. */
async function shake(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port: ports()[1]!,
    servername: 'gateway.test',
    ca: authority.certificate,
    ...options,
  });
  sockets.push(socket);
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends a request and resolves to the content of its answer. */
async function say(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.write('GET / HTTP/1.1\r\nHost: gateway.test\r\n\r\n');
  const whole = /\r\n\r\n(?:[^\r]*\r\n)?(.+?)(?:\r\n|$)/s;
  await vi.waitFor(() => expect(text).toMatch(whole), 10_000);
  socket.removeAllListeners('data');
  return whole.exec(text)![1]!;
}

const shown = (socket: TLSSocket): unknown => socket.getPeerCertificate().subject.CN;

it('serves connectors with and without TLS side by side', async () => {
  await run(content());
  expect(gateway!.addresses.map((address) => address.split(':')[0])).toEqual(['http', 'https']);
  expect((await ask(ports()[0]!, 'GET / HTTP/1.1\r\nHost: h\r\n')).body).toBe('http false HTTP/1.1');
  const socket = await shake();
  expect([shown(socket), await say(socket)]).toEqual(['first', 'https true HTTP/1.1']);
  await vi.waitFor(() => expect(gateway!.stdout).toContain('metrics'));
  expect(gateway!.stdout).toContain(`traffic     https://127.0.0.1:${ports()[1]}\n`);
});

it('speaks HTTP/2 unless the connector says otherwise', async () => {
  const connectors = [
    { port: 1, tls: 'keys', vertx: { useAlpn: false } },
    { port: 2, tls: 'keys' },
  ];
  await run(content({ connectors }));
  const [without, port] = ports() as [number, number];
  const alpn = { ALPNProtocols: ['h2', 'http/1.1'] };
  expect((await shake({ ...alpn, port: without })).alpnProtocol).toBe('http/1.1');
  expect((await shake({ ...alpn, port })).alpnProtocol).toBe('h2');
  const session: ClientHttp2Session = connectHttp2(`https://127.0.0.1:${port}`, {
    ca: authority.certificate,
    servername: 'gateway.test',
  });
  const stream = session.request({ ':path': '/', ':authority': 'gateway.test' });
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(stream, 'end');
  session.destroy();
  expect(text).toBe('https true HTTP/2');
});

it('uses a renewed certificate without a restart, and keeps open connections', async () => {
  await run(content(), ['--units', '2']);
  const old = await shake();
  expect([shown(old), await say(old)]).toEqual(['first', 'https true HTTP/1.1']);
  folder.replace('secrets/server.tls.pem', second.pem);
  await vi.waitFor(async () => expect(shown(await shake())).toBe('second'), { timeout: 20_000, interval: 50 });
  expect(await say(old)).toBe('https true HTTP/1.1');
});

/** So many that the kernel gives some of them to each unit. */
const CONNECTIONS = 30;

it('resumes sessions in any unit', async () => {
  await run(content(), ['--units', '2', '--access-log', '-']);
  const socket = await shake({ maxVersion: 'TLSv1.2' });
  const session = socket.getSession();
  for (let i = 0; i < CONNECTIONS; i++) {
    const again = await shake({ maxVersion: 'TLSv1.2', session: session! });
    await say(again);
    expect(again.isSessionReused()).toBe(true);
  }
  const units = (): number[] =>
    [...gateway!.stdout.matchAll(/^\{.*\}$/gm)].map(([line]) => (JSON.parse(line) as { unit: number }).unit);
  await vi.waitFor(() => expect(units()).toHaveLength(CONNECTIONS), 10_000);
  expect(new Set(units())).toEqual(new Set([0, 1]));
});

it('does not start without the keys, and names the connector', async () => {
  folder = new InstanceFolder({ ...content(), 'secrets/server.tls.pem': 'nothing' });
  const words = ['run', folder.path, '--port', '0,0', '--host', '127.0.0.1', '--admin', 'off', '--units', '1'];
  const { code, stderr } = await runProgram(gatewarden, words);
  expect(code).toBe(1);
  expect(stderr).toMatch(/connectors\[1\], cannot be served: .*'server\.tls'/);
});

it('has objects that are separate from other documents', async () => {
  folder = new InstanceFolder({
    ...content({ connectors: [{ port: 1, tls: 'theirs' }] }),
    'config/config.json': {
      ...hello,
      heap: [
        { ...store, name: 'other' },
        { ...keys('theirs', 'server.tls'), config: { keyManager: 'nobody' } },
        { name: 'x', type: 'SecretsKeyManager', config: { signingSecretId: 'server.tls', secretsProvider: 'store' } },
      ],
    },
  });
  const { code, stdout } = await runProgram(gatewarden, ['check', folder.path]);
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /connectors\[0\]\.tls: there is no object 'theirs'[\s\S]*?hint: .*config\.json are not seen here/,
  );
  expect(stdout).toContain("heap[2].config.secretsProvider: there is no object 'store'");
});

it('has the problems of its own heap found by a check, with their places', async () => {
  folder = new InstanceFolder(
    content({
      heap: [
        { ...store, config: { ...store.config, formt: 'PLAIN' } },
        { name: 'keys', type: 'ServerTlsOptions', config: { keyManager: 'stor', sslEnabledProtocols: ['TLSv9'] } },
      ],
    }),
  );
  const { code, stdout } = await runProgram(gatewarden, ['check', folder.path]);
  expect(code).toBe(1);
  expect(stdout).toContain("heap[0].config.formt: there is no field 'formt' here");
  expect(stdout).toMatch(/heap\[1\]\.config\.sslEnabledProtocols.*TLSv9/);
  expect(stdout).toMatch(/heap\[1\]\.config\.keyManager.*there is no object 'stor'/);
});

it('allows a rule on the name in the client certificate', async () => {
  const trustManager = {
    type: 'SecretsTrustManager',
    config: { verificationSecretId: 'ca', secretsProvider: 'store' },
  };
  const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'server.tls', secretsProvider: 'store' } };
  const front = { name: 'keys', type: 'ServerTlsOptions', config: { keyManager, trustManager, clientAuth: 'REQUEST' } };
  const rules = [{ from: [{ certificate: { subjectDNs: ['CN=orders(,.*)?'] } }] }];
  const guarded = {
    handler: {
      type: 'Chain',
      config: { filters: [{ type: 'AllowOnlyFilter', config: { rules } }], handler: hello.handler },
    },
  };
  const files = { ...content({ heap: [store, front] }), 'config/config.json': guarded };
  await run({ ...files, 'secrets/ca.pem': authority.certificate });
  const status = async (commonName: string | null): Promise<string> => {
    const own = commonName === null ? null : authority.issue({ names: [], commonName, client: true });
    const socket = await shake(own === null ? {} : { key: own.key, cert: own.certificate });
    socket.write('GET / HTTP/1.1\r\nHost: gateway.test\r\n\r\n');
    return String((await once(socket, 'data'))[0]).split(' ')[1]!;
  };
  expect([await status('orders'), await status('refunds'), await status(null)]).toEqual(['200', '403', '403']);
});
