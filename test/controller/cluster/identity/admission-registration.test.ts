import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import type { ApiRequest } from '../../../../controller/cluster/api/api-client.ts';
import { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import { admissionConfiguration, covers } from '../../../../controller/cluster/identity/admission-configuration.ts';
import {
  AdmissionRegistration,
  type AdmissionRegistrationOptions,
} from '../../../../controller/cluster/identity/admission-registration.ts';

const service = { namespace: 'gatewarden', name: 'controller', port: 9443 };

/** An API server that has one object at most. */
function oneObject(): {
  stored: JsonValue | undefined;
  calls: ApiRequest[];
  fault: Error | null;
  call(request: ApiRequest): Promise<{ status: number; body: unknown }>;
  open(): never;
} {
  return {
    stored: undefined,
    calls: [],
    fault: null,
    async call(request) {
      this.calls.push(request);
      if (this.fault !== null) throw this.fault;
      if (request.method === 'PATCH') this.stored = request.body as JsonObject;
      else if (this.stored === undefined) throw new ApiError('404', { status: 404, reason: 'NotFound' });
      return { status: 200, body: this.stored };
    },
    open: () => expect.fail('nothing is followed before the start'),
  };
}

function registration(api: ReturnType<typeof oneObject>, options: Partial<AdmissionRegistrationOptions> = {}) {
  const said: string[] = [];
  const one = new AdmissionRegistration(api, {
    kind: 'ValidatingWebhookConfiguration',
    name: 'gatewarden',
    wanted: (bundle) => admissionConfiguration({ name: 'gatewarden', target: { service } }, bundle),
    caBundle: () => 'PEM',
    isLeader: () => true,
    interval: 60_000,
    observer: { registered: () => said.push('registered'), registrationFailed: ({ message }) => said.push(message) },
    ...options,
  });
  onTestFinished(() => one.close());
  return { one, said };
}

const methods = (api: { readonly calls: readonly ApiRequest[] }): string[] => api.calls.map(({ method }) => method);

describe('AdmissionRegistration', () => {
  it('applies a missing registration, and nothing if it is correct', async () => {
    const api = oneObject();
    const { one, said } = registration(api);
    await one.check();
    await one.check();
    expect(methods(api)).toEqual(['GET', 'PATCH', 'GET']);
    expect(api.calls[1]).toMatchObject({
      path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/gatewarden',
      query: { fieldManager: 'gatewarden-controller', force: true },
      contentType: 'application/apply-patch+yaml',
    });
    expect(said).toEqual(['registered']);
  });

  it('hands out new authorities', async () => {
    const api = oneObject();
    let caBundle = 'PEM';
    const { one } = registration(api, { caBundle: () => caBundle });
    await one.check();
    caBundle = 'PEM and another';
    await one.check();
    expect(JSON.stringify(api.stored)).toContain(Buffer.from(caBundle).toString('base64'));
  });

  it('does nothing unless it leads', async () => {
    const api = oneObject();
    const { one } = registration(api, { isLeader: () => false });
    await one.check();
    expect(api.calls).toEqual([]);
  });

  it('checks once more when it is triggered during a check', async () => {
    const api = oneObject();
    const { one } = registration(api);
    await Promise.all([one.check(), one.check(), one.check()]);
    expect(methods(api)).toEqual(['GET', 'PATCH', 'GET']);
  });

  it('logs a failure and retries', async () => {
    const api = oneObject();
    api.fault = new ApiError('may not', { status: 403, reason: 'Forbidden' });
    const { one, said } = registration(api, { interval: 1 });
    await one.check();
    expect(said[0]).toBe('may not');
    api.fault = null;
    await vi.waitFor(() => expect(said).toContain('registered'));
  });

  it('fills only the missing caBundle of webhooks with another owner', async () => {
    const api = oneObject();
    const filled = { name: 'c', clientConfig: { caBundle: 'UEVN' } };
    api.stored = { webhooks: [{ name: 'a', clientConfig: { url: 'https://a' } }, { name: 'b' }, filled] };
    const { one } = registration(api, { kind: 'MutatingWebhookConfiguration', wanted: null });
    await one.check();
    expect(api.calls[1]).toEqual({
      method: 'PATCH',
      path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/gatewarden',
      query: { fieldManager: 'gatewarden-controller' },
      contentType: 'application/strategic-merge-patch+json',
      body: {
        webhooks: [
          { name: 'a', clientConfig: { caBundle: 'UEVN' } },
          { name: 'b', clientConfig: { caBundle: 'UEVN' } },
        ],
      },
      signal: expect.anything(),
    });
  });

  it('stops', async () => {
    const api = oneObject();
    const { one } = registration(api);
    await one.close();
    await one.check();
    expect(api.calls).toEqual([]);
  });
});

describe('admissionConfiguration', () => {
  it('registers with failurePolicy Ignore and rules for every validated kind', () => {
    expect(admissionConfiguration({ name: 'gatewarden', target: { service } }, 'PEM')).toMatchObject({
      metadata: { name: 'gatewarden' },
      webhooks: [
        {
          failurePolicy: 'Ignore',
          matchPolicy: 'Equivalent',
          sideEffects: 'None',
          timeoutSeconds: 5,
          clientConfig: { service: { ...service, path: '/validate' }, caBundle: 'UEVN' },
          rules: [
            { resources: ['routes'], operations: ['CREATE', 'UPDATE'] },
            { resources: ['secretstores', 'auditservices'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
          ],
        },
      ],
    });
  });

  it('accepts a URL instead of a Service', () => {
    const target = { origin: 'https://10.0.0.1:9443' };
    const { webhooks } = admissionConfiguration({ name: 'g', target, failurePolicy: 'Fail', timeoutSeconds: 2 }, '');
    expect(webhooks).toMatchObject([
      { clientConfig: { url: 'https://10.0.0.1:9443/validate' }, failurePolicy: 'Fail', timeoutSeconds: 2 },
    ]);
  });
});

describe('covers', () => {
  it.each<[JsonValue | undefined, JsonValue, boolean]>([
    [{ a: 1, more: 2 }, { a: 1 }, true],
    [{ a: 2 }, { a: 1 }, false],
    [undefined, {}, false],
    [{ a: { b: [1, { c: 2, d: 3 }] } }, { a: { b: [1, { c: 2 }] } }, true],
    [[1, 2], [1], false],
    [{ narrowed: true }, {}, false],
    [{}, {}, true],
    [{}, { a: null }, false],
  ])('%j has all of %j: %s', (actual, wanted, expected) => {
    expect(covers(actual, wanted)).toBe(expected);
  });
});
