import type { ClientRequest } from 'node:http';
import { Agent, request } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import type { AdmissionJudge } from '../../../controller/admission/admission-judge.ts';
import { type AdmissionObserver, AdmissionServer } from '../../../controller/admission/admission-server.ts';
import type { PodInjector } from '../../../controller/admission/injection-verdict.ts';
import { injectPod } from '../../../controller/injection/inject-pod.ts';
import { withAdditions } from '../../../controller/injection/pod-patch.ts';
import {
  callWebhook,
  podReview,
  review,
  settledJudge,
  type WebhookCall,
} from '../../support/cluster/admission-review.ts';
import { plainPod, plainTerms } from '../../support/cluster/injected-pod.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';

const authority = certificateAuthority('webhook authority');
const wish = { names: ['127.0.0.1'] };

interface Served {
  readonly server: AdmissionServer;
  readonly port: number;
  readonly seen: unknown[];
  call(call?: Partial<WebhookCall>): Promise<{ status: number; text: string }>;
}

async function served(
  judge: AdmissionJudge = settledJudge(),
  clientAuthorities?: string,
  injector?: PodInjector,
): Promise<Served> {
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
    ...(injector === undefined ? {} : { injector }),
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

  it('uses a new certificate while connections with the old one continue', async () => {
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

  it('requests a client certificate if configured', async () => {
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

  it('answers pending reviews before it closes', async () => {
    const { server, call, port } = await served();
    const { sent, answered } = await begun(port);
    const closed = server.close();
    await expect(call()).rejects.toThrow(/ECONNREFUSED/);
    sent.end('{}');
    expect(await answered).toBe(400);
    await closed;
  });
});

describe('Pods that are to get a sidecar', () => {
  const injector: PodInjector = { inject: (pod, namespace) => injectPod(pod, { ...plainTerms, namespace }) };
  const ask = async (pod: JsonObject, fields: JsonObject = {}, by: PodInjector = injector) => {
    const { call, seen } = await served(undefined, undefined, by);
    const { status, text } = await call({ path: '/inject?timeout=5s', body: JSON.stringify(podReview(pod, fields)) });
    return { status, text, seen, response: status === 200 ? JSON.parse(text).response : null };
  };

  it('get it as a JSON patch, with a warning', async () => {
    const { response, seen } = await ask(plainPod());
    expect(response).toMatchObject({ uid: 'u-1', allowed: true, patchType: 'JSONPatch' });
    const patch: { op: string; path: string; value: JsonValue }[] = JSON.parse(
      Buffer.from(response.patch, 'base64').toString(),
    );
    const additions = patch.map(({ path, value }) => ({ path: path.split('/').slice(1).map(unescaped), value }));
    expect(patch.every(({ op }) => op === 'add')).toBe(true);
    const patched = withAdditions(plainPod(), additions);
    expect(injectPod(patched, plainTerms)).toEqual({ outcome: 'left-alone', why: 'it has one already' });
    expect(response.warnings).toEqual([expect.stringContaining('bypass the sidecar')]);
    expect(seen).toEqual([['Pod', 'injected', true]]);

    function unescaped(step: string): string {
      return step.replaceAll('~1', '/').replaceAll('~0', '~');
    }
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['that say no', plainPod({ labels: { 'gatewarden.io/inject': 'false' } }), {}],
    ['of kube-system', plainPod(), { namespace: 'kube-system' }],
    ['that are there already', plainPod(), { operation: 'UPDATE', oldObject: plainPod() }],
  ])('and those %s are admitted unchanged', async (_, pod, fields) => {
    const { response, seen } = await ask(pod, fields);
    expect(response).toEqual({ uid: 'u-1', allowed: true });
    expect(seen).toEqual([['Pod', 'allowed', true]]);
  });

  it('are denied with every reason', async () => {
    const { response, seen } = await ask(plainPod({ spec: { hostNetwork: true }, annotations: { port: '1' } }));
    expect(response).toMatchObject({ allowed: false, status: { code: 422, reason: 'Invalid' } });
    expect(response.status.message).toMatch(/^error: Pod shop\/web → metadata.*\nerror: Pod shop\/web → spec\.host/s);
    expect(seen).toEqual([['Pod', 'denied', true]]);
  });

  it('are left to the failurePolicy when the sidecar settings are not known', async () => {
    const fault = new Error('not yet');
    const { status, seen } = await ask(plainPod(), {}, { inject: () => expect.fail(fault.message) });
    expect(status).toBe(500);
    expect(seen).toEqual([expect.objectContaining({ message: 'not yet' }), ['Pod', 'failed', true]]);
  });

  it('are not for a server that has no sidecars, nor anything else for this path', async () => {
    const { call } = await served();
    expect(await call({ path: '/inject', body: JSON.stringify(podReview(plainPod())) })).toMatchObject({ status: 404 });
    expect(await ask({}, { kind: { group: '', kind: 'Service' } })).toMatchObject({
      status: 400,
      seen: [[null, 'malformed', true]],
    });
  });
});
