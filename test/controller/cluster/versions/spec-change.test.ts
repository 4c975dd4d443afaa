import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { delivererOf, specChangeOf } from '../../../../controller/cluster/versions/spec-change.ts';

const entry = (manager: string, time: string, fields: JsonObject = { 'f:spec': {} }, more: JsonObject = {}) => ({
  ...{ manager, operation: 'Update', apiVersion: 'gatewarden.io/v1alpha1', time, fieldsType: 'FieldsV1' },
  fieldsV1: fields,
  ...more,
});
const withManagers = (...managedFields: readonly JsonObject[]): JsonObject => ({ metadata: { managedFields } });

describe('the newest change of a spec', () => {
  it('is that of the manager of a field of the spec who wrote last', () => {
    const raw = withManagers(
      entry('kubectl-edit', '2026-11-01T10:00:00Z'),
      entry('gatewarden-common-rest', '2026-11-02T10:00:00Z'),
      entry('kubectl-label', '2026-11-03T10:00:00Z', { 'f:metadata': {} }),
      entry('gatewarden-controller', '2026-11-04T10:00:00Z', { 'f:spec': {} }, { subresource: 'status' }),
    );
    expect(specChangeOf(raw)).toEqual({ manager: 'gatewarden-common-rest', at: '2026-11-02T10:00:00Z' });
  });

  it.each([
    [{}],
    [{ metadata: {} }],
    [{ metadata: { managedFields: 'none' } }],
    [withManagers({})],
    [withManagers(entry('kubectl', ''))],
    [withManagers({ manager: 'kubectl', time: '2026-11-01T10:00:00Z', fieldsV1: 7 })],
  ])('is not known from %j', (raw) => {
    expect(specChangeOf(raw)).toBeNull();
  });
});

describe('the tool that delivers an object', () => {
  it.each([
    ['Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:gatewarden.io/Route:shop/orders' } }],
    ['Argo CD', { labels: { 'argocd.argoproj.io/instance': 'shop' } }],
    ['Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'shop' } }],
    ['Flux', { labels: { 'helm.toolkit.fluxcd.io/name': 'shop', 'app.kubernetes.io/managed-by': 'Helm' } }],
    ['Fleet', { labels: { 'objectset.rio.cattle.io/id': 'shop' } }],
    ['Config Sync', { annotations: { 'configmanagement.gke.io/managed': 'enabled' } }],
    ['kapp', { labels: { 'kapp.k14s.io/app': '1' } }],
    ['Helm', { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }],
    ['Helm', { annotations: { 'meta.helm.sh/release-name': 'shop' } }],
    [null, { labels: { 'app.kubernetes.io/managed-by': 'hand' } }],
    [null, { annotations: { 'configmanagement.gke.io/managed': 'disabled' } }],
    [null, { annotations: { 'argocd.argoproj.io/tracking-id': '' } }],
    [null, {}],
  ])('is %s for %j', (tool, metadata) => {
    expect(delivererOf({ metadata })).toBe(tool);
  });

  it.each([
    ['argocd-controller', 'Argo CD'],
    ['argocd-application-controller', 'Argo CD'],
    ['kustomize-controller', 'Flux'],
    ['helm-controller', 'Flux'],
    ['fleetagent', 'Fleet'],
    ['configsync', 'Config Sync'],
    ['kapp-server', 'kapp'],
    ['helm', 'Helm'],
    ['Terraform', 'Terraform'],
    ['pulumi', 'Pulumi'],
    ['kubectl-client-side-apply', null],
    ['gatewarden-common-rest', null],
    ['constructor', null],
  ])('of the field manager %s is %s', (manager, tool) => {
    expect(delivererOf(withManagers(entry(manager, '2026-11-01T10:00:00Z')))).toBe(tool);
  });
});
