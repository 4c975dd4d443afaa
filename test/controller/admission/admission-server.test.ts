import type { ClientRequest } from 'node:http';
import { Agent, request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AdmissionJudge } from '../../../controller/admission/admission-judge.ts';
import { type AdmissionObserver, AdmissionServer } from '../../../controller/admission/admission-server.ts';
import { callWebhook, review, settledJudge, type WebhookCall } from '../../support/admission-review.ts';
import { certificateAuthority } from '../../support/certificates.ts';

const authority = certificateAuthority('webhook authority');
const wish = { names: ['127.0.0.1'] };

interface Served {
  readonly server: AdmissionServer;
  readonly port: number;
  readonly seen: unknown[];
  call(call?: Partial<WebhookCall>): Promise<{ status: number; text: string }>;
}

async function served(judge: AdmissionJudge = settledJudge(), clientAuthorities?: string): Promise<Served> {
  const seen: unknown[] = [];
  const observer: AdmissionObserver = {
    reviewed: (kind, outcome, milliseconds) => seen.push([kind, outcome, milliseconds >= 0]),
    failed: (error) => seen.push(error),
  };
  const { chain, key } = authority.issue(wish);
  const certificate = { certificate: chain, key };
  const server = new AdmissionServer({
    judge,
    observer,
    certificate,
    ...(clientAuthorities === undefined ? {} : { clientAuthorities }),
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const ca = authority.certificate;
  return {
    server,
    port,
    seen,
    call: (call) => callWebhook({ port, ca, body: JSON.stringify(review()), ...call }),
  };
}

/** A review that the server reads, and of which the body is yet to come. */
async function begun(port: number): Promise<{ sent: ClientRequest; answered: Promise<number> }> {
  const ca = authority.certificate;
  const headers = { 'content-length': 2, expect: '100-continue' };
  const sent = request({ host: '127.0.0.1', port, ca, method: 'POST', path: '/validate', headers, agent: false });
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
  });
  // the server asks for the body once it reads the review
  await new Promise<void>((resolve, reject) => {
    sent.on('continue', resolve).on('error', reject);
    sent.flushHeaders();
  });
  return { sent, answered };
}

const broken = { code: 'missing', severity: 'error', path: ['spec', 'handler'], message: 'is missing' } as const;

describe('AdmissionServer', () => {
  it('allows, under the uid of the question', async () => {
    const { call, seen } = await served();
    const { status, text } = await call();
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: 'u-1', allowed: true } },
    ]);
    expect(seen).toEqual([['Route', 'allowed', true]]);
  });

  it('denies and warns', async () => {
    const { call, seen } = await served(
      settledJudge({ problems: [broken, { ...broken, severity: 'warning', message: 'is old' }] }),
    );
    const { response } = JSON.parse((await call()).text);
    expect(response).toEqual({
      uid: 'u-1',
      allowed: false,
      status: {
        status: 'Failure',
        code: 422,
        reason: 'Invalid',
        message: 'error: Route shop/orders → spec.handler: is missing [missing]',
      },
      warnings: ['spec.handler: is old [missing]'],
    });
    expect(seen).toEqual([['Route', 'denied', true]]);
  });

  it('leaves the decision to the failurePolicy when judging fails, and shows nothing of the fault', async () => {
    const fault = new Error('secret text');
    const { call, seen } = await served({
      judge() {
        throw fault;
      },
    });
    const answer = await call();
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
    expect(seen).toEqual([fault, ['Route', 'failed', true]]);
  });

  it.each<[string, number, Partial<WebhookCall>]>([
    ['another path', 404, { path: '/' }],
    ['GET', 405, { method: 'GET', body: '' }],
    ['half a review', 400, { body: '{"apiVersion":' }],
    ['another object', 400, { body: JSON.stringify(review({ kind: { group: '', kind: 'Pod' } })) }],
    ['more than 8 MiB', 413, { body: ' '.repeat(8 * 1024 * 1024 + 1) }],
  ])('answers %s with %i', async (_, status, sent) => {
    const { call } = await served();
    expect((await call(sent)).status).toBe(status);
    expect((await call()).status).toBe(200);
  });

  it('reads a review of 8 MiB', async () => {
    const { call } = await served();
    const body = JSON.stringify(review());
    expect((await call({ body: body.padEnd(8 * 1024 * 1024) })).status).toBe(200);
  });

  it('reads no more than 64 reviews at a time', async () => {
    const { call, port } = await served();
    const slow = await Promise.all(Array.from({ length: 64 }, () => begun(port)));
    expect((await call()).status).toBe(503);
    for (const { sent } of slow) sent.end('{}');
    expect(new Set(await Promise.all(slow.map(({ answered }) => answered)))).toEqual(new Set([400]));
    expect((await call()).status).toBe(200);
  });

  it('takes another certificate while connections of the old one go on', async () => {
    const { server, port, call } = await served();
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate });
    onTestFinished(() => agent.destroy());
    const shown = async (): Promise<{ reused: boolean; serial: string }> =>
      new Promise((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/validate', agent }, (response) => {
          const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
          response.resume().on('end', () => resolve({ reused: sent.reusedSocket, serial: serialNumber }));
        });
        sent.on('error', reject).end(JSON.stringify(review()));
      });
    const first = await shown();
    const other = certificateAuthority('another authority');
    const renewed = other.issue(wish);
    server.renew({ certificate: renewed.chain, key: renewed.key });
    expect(await shown()).toEqual({ reused: true, serial: first.serial });
    expect((await call({ ca: other.certificate })).status).toBe(200);
    await expect(call()).rejects.toThrow(/certificate/);
  });

  it('asks for a certificate where it is told to', async () => {
    const clients = certificateAuthority('api servers');
    const { call, server } = await served(settledJudge(), clients.certificate);
    const { certificate: cert, key } = clients.issue({ client: true, names: ['api-server'] });
    await expect(call()).rejects.toThrow();
    expect((await call({ cert, key })).status).toBe(200);
    const { chain, key: next } = authority.issue(wish);
    server.renew({ certificate: chain, key: next });
    await expect(call()).rejects.toThrow();
    expect((await call({ cert, key })).status).toBe(200);
  });

  it('answers what it was asked before it closes', async () => {
    const { server, call, port } = await served();
    const { sent, answered } = await begun(port);
    const closed = server.close();
    await expect(call()).rejects.toThrow(/ECONNREFUSED/);
    sent.end('{}');
    expect(await answered).toBe(400);
    await closed;
  });
});
