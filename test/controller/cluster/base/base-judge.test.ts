import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { AdmissionVerdict } from '../../../../controller/admission/admission-verdict.ts';
import { type BaseJudge, baseVerdict, readBaseReview } from '../../../../controller/admission/base-review.ts';
import { judgeBase } from '../../../../controller/cluster/base/base-judge.ts';
import type { Compilation } from '../../../../controller/compile/compiler.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';

const base = { namespace: 'gatewarden', name: 'gatewarden' };
const router = { handler: { name: '_router', type: 'Router' } };

class Setting {
  readonly cluster = new CompiledCluster();
  newest: Compilation | null;

  constructor(config: JsonObject | null = router) {
    this.cluster.base('config', config).route('shop/orders', { handler: 'ReverseProxyHandler' });
    this.newest = this.cluster.compile();
  }

  review(data: Readonly<Record<string, JsonObject | string>>, more: Review = {}): AdmissionVerdict {
    const judge: BaseJudge = {
      base,
      version: '0.1.0',
      judge: (object) => this.newest && judgeBase(object, this.cluster.compiler, this.newest),
    };
    const { metadata = {}, oldData, name = base.name } = more;
    const request = {
      uid: 'u-1',
      operation: oldData === undefined ? 'CREATE' : 'UPDATE',
      namespace: base.namespace,
      name,
      object: { metadata: { ...base, ...metadata }, data: texts(data) },
      oldObject: oldData === undefined ? null : { metadata: base, data: texts(oldData) },
    };
    const text = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
    return baseVerdict(readBaseReview(text), judge);
  }
}

interface Review {
  readonly metadata?: JsonObject;
  readonly oldData?: Readonly<Record<string, JsonObject | string>>;
  readonly name?: string;
}

function texts(data: Readonly<Record<string, JsonObject | string>>): JsonObject {
  const entries = Object.entries(data);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

const bad = { 'config.json': router, 'trust.json': { egress: ['nonsense'] } };

describe('the review of the base configuration', () => {
  it.each<[what: string, data: Record<string, JsonObject | string>, says: RegExp]>([
    ['an egress rule that is none', bad, /egress\[0\]: 'nonsense' is no address[^\n]*\n {2}at trust\.json/],
    ['a misspelt heap', { 'config.json': { ...router, hepa: [] } }, /hepa: there is no field 'hepa'/],
    ['an object without a proper name', { 'config.json': { ...router, heap: [{ name: 1 }] } }, /heap\[0\]/],
    ['no JSON', { 'config.json': '{' }, /config\.json/],
    ['an unknown field of admin.json', { 'config.json': router, 'admin.json': { prot: 1 } }, /prot/],
    ['a config.json that was removed', {}, /the file is missing/],
    ['all of these', { ...bad, 'config.json': '{', 'admin.json': { prot: 1 } }, /prot(?:.|\n)*config(?:.|\n)*egress/],
  ])('refuses %s', (_, data, says) => {
    const { denial } = new Setting().review(data);
    expect(denial).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(denial?.message).toMatch(/^ConfigMap gatewarden\/gatewarden: the base configuration is not valid\n/);
    expect(denial?.message).toMatch(says);
  });

  it('accepts a valid ConfigMap with its warnings', () => {
    const verdict = new Setting().review({ 'config.json': { ...router, colour: 'red' }, notes: 'x' });
    expect(verdict.denial).toBeNull();
    expect(verdict.warnings).toEqual([expect.stringContaining('colour'), 'the key notes has no effect']);
  });

  it('does not change the state of the compiler', () => {
    const setting = new Setting();
    setting.review({ 'config.json': { handler: { type: 'Router' } }, 'trust.json': { onInvalid: 'Refuse' } });
    expect(setting.cluster.compile().snapshot?.revision).toBe(setting.newest?.snapshot?.revision);
  });

  it('accepts new labels of an invalid object, and changes of an object that is being deleted', () => {
    const setting = new Setting();
    expect(setting.review(bad, { oldData: bad }).denial).toBeNull();
    expect(setting.review(bad, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }).denial).toBeNull();
    expect(setting.review(bad, { oldData: {} }).denial).not.toBeNull();
  });

  it('does not validate other ConfigMaps', () => {
    expect(new Setting().review(bad, { name: 'other' })).toEqual({ denial: null, warnings: [] });
  });

  it('does not validate documents for another version', () => {
    const version = (text: string): Review => ({ metadata: { labels: { 'app.kubernetes.io/version': text } } });
    const { denial, warnings } = new Setting().review(bad, version('0.2.0'));
    expect(denial).toBeNull();
    expect(warnings[0]).toContain('was not validated: it is for version 0.2.0');
    expect(new Setting().review(bad, version('0.1.0')).denial).not.toBeNull();
  });

  it('admits with a warning what cannot be validated yet', () => {
    const setting = new Setting();
    setting.newest = null;
    expect(setting.review(bad)).toMatchObject({ denial: null, warnings: [expect.stringContaining('not validated')] });
  });

  it('rejects a config.json without a router for existing Routes, unless it is forced', () => {
    const data = { 'config.json': { handler: { type: 'StaticResponseHandler', config: { status: 200 } } } };
    const setting = new Setting();
    expect(setting.review(data).denial).toMatchObject({ code: 403, message: expect.stringContaining('1 Routes') });
    const forced = setting.review(data, { metadata: { annotations: { 'gatewarden.io/force': 'true' } } });
    expect(forced).toMatchObject({ denial: null, warnings: [expect.stringContaining('no router')] });
  });
});
