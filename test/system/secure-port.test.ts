import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ScriptedController } from '../support/channel/scripted-controller.ts';
import { ask } from '../support/clients/answers.ts';
import { MountedSecret } from '../support/cluster/mounted-secret.ts';
import { DataplaneProcess } from '../support/gateways/dataplane-process.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { type Certified, certificateAuthority } from '../support/identity/certificates.ts';
import { gatewarden, runProgram } from '../support/programs/run-program.ts';

const authority = certificateAuthority('the authority');
const first = authority.issue({ names: ['gateway.test'], commonName: 'first' });
const second = authority.issue({ names: ['gateway.test'], commonName: 'second' });
const short = authority.issue({ names: ['gateway.test'], keyType: 'rsa', modulusLength: 1024 });

const files = ({ key, chain }: Certified): Record<string, string> => ({ 'tls.crt': chain, 'tls.key': key });
const hello = {
  handler: {
    type: 'StaticResponseHandler',
    config: { status: 200, entity: '${request.uri.scheme} ${contexts.client.isSecure} ${request.version}' },
  },
};

function mounted(content: Record<string, string> = files(first)): MountedSecret {
  const secret = new MountedSecret(content);
  onTestFinished(() => secret[Symbol.dispose]());
  return secret;
}

function instance(admin: object = {}): InstanceFolder {
  const folder = new InstanceFolder({ 'config/admin.json': admin, 'config/config.json': hello });
  onTestFinished(() => folder[Symbol.dispose]());
  return folder;
}

const words = (secret: MountedSecret, port = '0'): string[] => [
  ...['--tls-port', port, '--tls-cert', secret.at('tls.crt'), '--tls-key', secret.at('tls.key')],
];

async function run(secret: MountedSecret, ...more: string[]): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.run(instance().path, [...words(secret), ...more]);
  onTestFinished(async () => void (await gateway.stop()));
  return gateway;
}

const portsOf = ({ addresses }: GatewayProcess): number[] =>
  addresses.map((address) => Number(/:(\d+)$/.exec(address)?.[1]));

async function shake(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const servername = 'gateway.test';
  const socket = connect({ host: '127.0.0.1', port, servername, ca: authority.certificate, ...options });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

const shown = (socket: TLSSocket): unknown => socket.getPeerCertificate().subject.CN;

async function say(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.write('GET / HTTP/1.1\r\nHost: gateway.test\r\n\r\n');
  await vi.waitFor(() => expect(text).toMatch(/HTTP\/1\.1$/), 10_000);
  socket.removeAllListeners('data');
  return text.slice(text.lastIndexOf('\n') + 1);
}

it('serves TLS beside the connectors of admin.json, with HTTP/2 and HTTP/1.1', async () => {
  const gateway = await run(mounted());
  const [plain, secure] = portsOf(gateway) as [number, number];
  expect(gateway.addresses.map((address) => address.split(':')[0])).toEqual(['http', 'https']);
  expect((await ask(plain, 'GET / HTTP/1.1\r\nHost: h\r\n')).body).toBe('http false HTTP/1.1');
  const socket = await shake(secure, { ALPNProtocols: ['http/1.1'] });
  expect([shown(socket), await say(socket), socket.getProtocol()]).toEqual(['first', 'https true HTTP/1.1', 'TLSv1.3']);
  const ca = authority.certificate;
  const session = connectHttp2(`https://127.0.0.1:${secure}`, { ca, servername: 'gateway.test' });
  const stream = session.request({ ':path': '/', ':authority': 'gateway.test' });
  expect((await stream.setEncoding('utf8').toArray()).join('')).toBe('https true HTTP/2');
  session.destroy();
});

it('follows a mounted Secret: new handshakes get the new certificate, and connections stay', async () => {
  const secret = mounted();
  const gateway = await run(secret, '--units', '2');
  const port = portsOf(gateway)[1]!;
  const old = await shake(port);
  expect([shown(old), await say(old)]).toEqual(['first', 'https true HTTP/1.1']);
  secret.change(files(second));
  const renewed = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) expect(shown(await shake(port))).toBe('second');
  };
  await vi.waitFor(renewed, { timeout: 20_000, interval: 50 });
  expect(await say(old)).toBe('https true HTTP/1.1');
  expect(gateway.said.filter(({ level }) => level >= 50)).toEqual([]);
});

it('keeps the last valid pair after an invalid one, logs it, and uses the next valid one', async () => {
  const secret = mounted();
  const gateway = await run(secret);
  const port = portsOf(gateway)[1]!;
  const figure = (name: string): Promise<number> => gateway.figure(name).catch(() => 0);
  secret.change({ 'tls.crt': first.chain, 'tls.key': second.key });
  const refused = 'gw_tls_renewals_total{name="--tls-port",outcome="refused"}';
  await vi.waitFor(async () => expect(await figure(refused)).toBe(1), { timeout: 20_000, interval: 50 });
  await expect.poll(() => figure('gw_tls_renewal_failing{name="--tls-port"}')).toBe(1);
  expect(shown(await shake(port))).toBe('first');
  await vi.waitFor(() =>
    expect(gateway.said.find(({ level }) => level >= 50)).toMatchObject({
      msg: 'TLS key not found any more; still using the last one',
      reason: expect.stringContaining('none of its certificates belongs to its private key'),
    }),
  );
  secret.change(files(second));
  await vi.waitFor(async () => expect(shown(await shake(port))).toBe('second'), { timeout: 20_000, interval: 50 });
  await vi.waitFor(async () => expect(await figure('gw_tls_renewal_failing{name="--tls-port"}')).toBe(0), 10_000);
  await expect.poll(() => figure('gw_tls_renewals_total{name="--tls-port",outcome="taken"}')).toBe(1);
  expect(await figure('gw_tls_certificate_expiry_seconds{name="--tls-port"}')).toBeGreaterThan(Date.now() / 1000);
});

it.each<[string, Record<string, string>, string]>([
  ['no certificate', { 'tls.crt': '', 'tls.key': first.key }, 'tls.crt contains no PEM certificate'],
  ['no key', { 'tls.crt': first.chain, 'tls.key': 'nothing' }, 'tls.key contains no PEM private key'],
  ['a missing file', { 'tls.crt': first.chain }, 'tls.key cannot be read: ENOENT'],
  [
    'the key of another',
    { 'tls.crt': first.chain, 'tls.key': second.key },
    'cannot be used: none of its certificates belongs to its private key',
  ],
  ['a key in both', { 'tls.crt': first.pem, 'tls.key': first.key }, 'tls.crt holds a private key'],
  ['a key that is too short', files(short), 'cannot be used: '],
])('does not start with %s', async (_, content, message) => {
  const secret = mounted(content);
  for (const command of [
    ['run', instance().path],
    ['dataplane', '--controller', '127.0.0.1:1'],
  ]) {
    const { code, stderr } = await runProgram(gatewarden, [
      ...command,
      '--admin',
      'off',
      '--port',
      '0',
      ...words(secret),
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(stderr).toContain(`gatewarden ${command[0]}: ${secret.path}`);
  }
});

it.each<[string, string[], string]>([
  ['a port alone', ['--tls-port', '1'], '--tls-port, --tls-cert and --tls-key must be given together'],
  ['files alone', ['--tls-cert', 'a', '--tls-key', 'b'], '--tls-port, --tls-cert and --tls-key must be given together'],
  [
    'one port for both',
    ['--tls-port', '7', '--tls-cert', 'a', '--tls-key', 'b', '--port', '7'],
    '--port and --tls-port must not both be 7',
  ],
])('refuses %s', async (_, given, message) => {
  for (const command of [
    ['run', instance().path],
    ['dataplane', '--controller', '127.0.0.1:1'],
  ]) {
    const outcome = await runProgram(gatewarden, [...command, ...given]);
    expect([outcome.code, outcome.stderr]).toEqual([2, `gatewarden ${command[0]}: ${message}\n`]);
  }
});

it('refuses the port of a connector', async () => {
  const { path } = instance({ connectors: [{ port: 8081 }] });
  const outcome = await runProgram(gatewarden, ['run', path, '--admin', 'off', ...words(mounted(), '8081')]);
  expect(outcome).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--tls-port 8081 is the port of connectors[0] already'),
  });
});

it('is opened by a data plane with the first snapshot, verified with CA certificates of the environment', async () => {
  const controller = await ScriptedController.start({ welcome: { report: 50 } });
  const folder = instance();
  folder.write('token', 'a-token-for-planes');
  const plane = await DataplaneProcess.start(
    [
      ...['--controller', `127.0.0.1:${controller.port}`, '--ca-env', 'AUTHORITIES'],
      ...['--bootstrap-token-file', folder.at('token'), ...words(mounted())],
    ],
    { AUTHORITIES: controller.authority.certificate },
  );
  onTestFinished(async () => {
    await plane.stop();
    controller.close();
  });
  const stream = await controller.next();
  stream.update({ full: true, base: { document: hello, hash: 'base-1' }, set: [], revision: 'first' });
  await stream.next('ack');
  const { addresses } = await plane.line('listening');
  const port = Number(/:(\d+)$/.exec((addresses as string[])[1]!)?.[1]);
  const socket = await shake(port);
  expect([shown(socket), await say(socket)]).toEqual(['first', 'https true HTTP/1.1']);
});
