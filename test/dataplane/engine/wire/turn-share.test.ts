import { describe, expect, it, onTestFinished } from 'vitest';
import { FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import type { BodySink } from '../../../../dataplane/engine/message/body.ts';
import type { Exchange } from '../../../../dataplane/engine/message/exchange.ts';
import { Response } from '../../../../dataplane/engine/message/response.ts';
import { FrameClient, frame, headersFrame, POST } from '../../../support/clients/frame-client.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { secureSocket } from '../../../support/clients/secure-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';
import { startSecure } from '../../../support/gateways/secure-gateway.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { changingKeys } from '../../../support/identity/changing-tls-secrets.ts';

const CHUNK = '1\r\nx\r\n';
const CHUNKS = 400_000;
const HEAD = 'POST /long HTTP/1.1\r\nHost: h\r\n';
const chunked = Buffer.from(`${HEAD}Transfer-Encoding: chunked\r\n\r\n${CHUNK.repeat(CHUNKS)}0\r\n\r\n`);
/** Two turns at most count as one: bytes of the second may come before the first is over for the test. */
const TURNS = 2;
const READ = 65_536;
const ca = certificateAuthority('servers');

/** Takes a body, and counts what comes in each turn of the event loop. */
class TurnCounter implements BodySink {
  /** Bytes of the whole body. */
  total = 0;
  /** Most bytes of one turn. */
  most = 0;
  readonly ended = Promise.withResolvers<Response>();
  private ofTurn = 0;

  bodyData(bytes: Buffer, start: number, end: number): void {
    if (this.ofTurn === 0) setImmediate(() => (this.ofTurn = 0));
    this.total += end - start;
    this.ofTurn += end - start;
    this.most = Math.max(this.most, this.ofTurn);
    if (bytes.subarray(start, end).some((byte) => byte !== 120)) this.bodyFailed();
  }

  bodyEnd(): void {
    this.ended.resolve(new Response(204));
  }

  bodyFailed(): void {
    this.ended.reject(new Error('the body is not what was sent'));
  }
}

/** A gateway that takes bodies of /long, and says how much of them came before other requests. */
function counting() {
  const counter = new TurnCounter();
  const before: number[] = [];
  const handle = ({ request }: Exchange): Promise<Response> | Response => {
    if (request.uri.path !== '/long' && request.method === 'GET') {
      before.push(counter.total);
      return new Response(204);
    }
    request.entity.incoming!.pipe(counter);
    return counter.ended.promise;
  };
  return { counter, before, handler: () => handle };
}

async function started(handler: ReturnType<typeof counting>['handler']): Promise<TestGateway> {
  const gateway = await startGateway({ handler });
  onTestFinished(() => gateway.close());
  return gateway;
}

async function connected(port: number): Promise<RawClient> {
  const client = await RawClient.connect(port);
  onTestFinished(() => client.destroy());
  return client;
}

describe('in one turn of the event loop, one connection gets no more than one read of', () => {
  it('chunks of one byte', async () => {
    const { counter, handler } = counting();
    const client = await connected((await started(handler)).port);
    client.send(chunked);
    expect(await client.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1\.1 204 /);
    expect(counter.total).toBe(CHUNKS);
    expect(counter.most).toBeLessThanOrEqual((TURNS * READ) / CHUNK.length + 1);
  });

  it('chunks of one byte over TLS', async () => {
    const { counter, handler } = counting();
    const own = ca.issue({ names: ['gateway.test'] });
    const { port } = await startSecure({ keys: [changingKeys(own).manager], handler });
    const socket = await secureSocket(port, { ca: ca.certificate });
    onTestFinished(() => void socket.destroy());
    socket.on('data', () => {});
    socket.write(chunked);
    await counter.ended.promise;
    expect(counter.total).toBe(CHUNKS);
    // what was decrypted of one read is not held back
    expect(counter.most).toBeLessThanOrEqual((2 * TURNS * READ) / CHUNK.length);
  });

  it('DATA frames of one byte', async () => {
    const { counter, handler } = counting();
    const client = await FrameClient.connect((await started(handler)).port);
    onTestFinished(() => client.raw.destroy());
    const fields = POST.map(([name, value]): [string, string] => [name, name === ':path' ? '/long' : value]);
    const one = frame(FRAME.DATA, 0, 1, 'x');
    const last = frame(FRAME.DATA, FLAG.END_STREAM, 1, 'x');
    client.send(headersFrame(1, fields), ...Array<Buffer>(59_999).fill(one), last);
    await counter.ended.promise;
    expect(counter.total).toBe(60_000);
    // a frame may have begun in the turn before
    expect(counter.most).toBeLessThanOrEqual((TURNS * READ) / one.length + 1);
  });
});

it('in one turn of the event loop, one connection gets no more than four blocks of a long body', async () => {
  const { counter, handler } = counting();
  const client = await connected((await started(handler)).port);
  const length = 24 << 20;
  client.send(`${HEAD}Content-Length: ${length}\r\n\r\n`);
  client.send(Buffer.alloc(length, 'x'));
  expect(await client.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1\.1 204 /);
  expect(counter.total).toBe(length);
  expect(counter.most).toBeLessThanOrEqual(TURNS * (4 * 262_144 + READ));
});

it('a request is answered before the second read of another connection', async () => {
  const { counter, before, handler } = counting();
  const { port } = await started(handler);
  const [long, short] = [await connected(port), await connected(port)];
  long.send(chunked);
  short.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  await short.until((text) => text.includes('\r\n\r\n'));
  expect(before[0]).toBeLessThanOrEqual((TURNS * READ) / CHUNK.length);
  await counter.ended.promise;
});

it('a body that was stopped and a client that ended meanwhile lose nothing', async () => {
  const { counter, handler } = counting();
  const gateway = await startGateway({ limits: { halfClose: true }, handler });
  onTestFinished(() => gateway.close());
  const client = await connected(gateway.port);
  client.send(chunked);
  client.finish();
  expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 204 /);
  expect(counter.total).toBe(CHUNKS);
});
