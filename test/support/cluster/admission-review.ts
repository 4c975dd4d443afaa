import { request } from 'node:https';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { AdmissionJudge, AdmissionOpinion } from '../../../controller/admission/admission-judge.ts';
import type { AdmissionRequest } from '../../../controller/admission/admission-request.ts';

/** A review as an API server writes it, of a Route `shop/orders` unless something else is said. */
export function review(fields: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u-1',
      kind: { group: 'gatewarden.io', version: 'v1alpha1', kind: 'Route' },
      resource: { group: 'gatewarden.io', version: 'v1alpha1', resource: 'routes' },
      name: 'orders',
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: { username: 'alice' },
      object: { metadata: { name: 'orders', namespace: 'shop' }, spec: { handler: 'ReverseProxyHandler' } },
      oldObject: null,
      dryRun: false,
      ...fields,
    },
  };
}

/** A review of a Pod `shop/web` that is to be created, as an API server writes it. */
export function podReview(pod: JsonObject, fields: JsonObject = {}): JsonObject {
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  return review({ kind, resource, name: '', object: pod, ...fields });
}

/** Always of the same opinion, and keeps what it was asked. */
export function settledJudge(
  opinion: Partial<AdmissionOpinion> | null = {},
): AdmissionJudge & { readonly asked: AdmissionRequest[] } {
  const asked: AdmissionRequest[] = [];
  return {
    asked,
    judge(request) {
      asked.push(request);
      return opinion === null ? null : { problems: [], notes: [], breaks: [], ...opinion };
    },
  };
}

export interface WebhookCall {
  readonly port: number;
  readonly ca: string;
  readonly body: string;
  readonly method?: string;
  readonly path?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Asks a webhook as an API server does. */
export function callWebhook(call: WebhookCall): Promise<{ status: number; text: string }> {
  const { body, method = 'POST', path = '/validate?timeout=5s', ...tls } = call;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ ...tls, host: '127.0.0.1', method, path, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }));
    });
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : body);
  });
}
