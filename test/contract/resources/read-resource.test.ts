import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { pathText } from '../../../contract/problem.ts';
import { readResource, specProblems } from '../../../contract/resources/read-resource.ts';
import { routeDocument } from '../../../contract/resources/route-resource.ts';

const apiVersion = 'gatewarden.io/v1alpha1';
const metadata = { name: 'orders', namespace: 'shop' };
const told = (raw: JsonValue): string[] =>
  readResource(raw).problems.map(({ path, message }) => `${pathText(path)}: ${message}`);

describe('readResource', () => {
  it('reads an object of an API server', () => {
    const { resource, problems } = readResource({
      apiVersion,
      kind: 'Route',
      metadata: {
        ...metadata,
        labels: { team: 'a' },
        uid: 'u-1',
        resourceVersion: '77',
        generation: 5,
        creationTimestamp: '2026-01-02T03:04:05Z',
        managedFields: [],
      },
      spec: { handler: 'ReverseProxyHandler' },
      status: { programmed: '1/1', lastGood: { generation: 4, hash: 'abc' } },
    });
    expect(problems).toEqual([]);
    expect(resource).toEqual({
      kind: 'Route',
      ...metadata,
      labels: { team: 'a' },
      uid: 'u-1',
      resourceVersion: '77',
      generation: 5,
      created: '2026-01-02T03:04:05Z',
      spec: { handler: 'ReverseProxyHandler' },
      lastGood: { generation: 4, hash: 'abc' },
      status: { programmed: '1/1', lastGood: { generation: 4, hash: 'abc' } },
    });
  });

  it('reads an object of a manifest, with defaults for namespace and kind', () => {
    const raw = { metadata: { name: 'keys' }, spec: { type: 'FileSystemSecretStore' } };
    const { resource, problems } = readResource(raw, { kind: 'SecretStore', namespace: 'default' });
    expect(problems).toEqual([]);
    expect(resource).toMatchObject({
      kind: 'SecretStore',
      namespace: 'default',
      name: 'keys',
      lastGood: null,
      generation: 1,
    });
  });

  const spec = { handler: 'a' };
  it.each<[string, JsonValue, string[]]>([
    ['no object', 'text', [': must be an object, not a string']],
    ['another kind', { kind: 'Pod' }, ['kind: must be Route, SecretStore, AuditService']],
    ['no metadata', { kind: 'Route', spec }, ['metadata: is required']],
    [
      'no name',
      { kind: 'Route', metadata: { namespace: 'a' }, spec },
      ['metadata.name: must be a name as Kubernetes has them'],
    ],
    [
      'a bad name',
      { kind: 'Route', metadata: { ...metadata, name: 'A b' }, spec },
      ['metadata.name: must be a name as Kubernetes has them'],
    ],
    [
      'no namespace',
      { kind: 'Route', metadata: { name: 'a' }, spec },
      ['metadata.namespace: must be the name of a namespace'],
    ],
    [
      'a later version',
      { apiVersion: 'gatewarden.io/v2', kind: 'Route', metadata, spec },
      [`apiVersion: must be ${apiVersion}`],
    ],
    ['no spec', { apiVersion, kind: 'Route', metadata }, ['spec: is required']],
    [
      'a spec that is none',
      { apiVersion, kind: 'Route', metadata, spec: [] },
      ['spec: must be an object, not an array'],
    ],
    [
      'another field',
      { apiVersion, kind: 'Route', metadata, spec, specs: {} },
      ["specs: there is no field 'specs' here"],
    ],
  ])('reports %s', (_, raw, expected) => {
    expect(told(raw)).toEqual(expected);
  });

  it('returns a resource although its spec is invalid', () => {
    const { resource, problems } = readResource({ apiVersion, kind: 'SecretStore', metadata, spec: { typ: 'x' } });
    expect(resource).toMatchObject({ name: 'orders', spec: { typ: 'x' } });
    expect(problems).toMatchObject([{ code: 'unknown-field', path: ['spec', 'typ'], hint: "did you mean 'type'?" }]);
  });
});

describe('specProblems', () => {
  const route = (fields: JsonObject): JsonObject => ({ handler: 'a', baseURI: 'http://a', comment: 'b', ...fields });
  const store = (fields: JsonObject): JsonObject => ({ type: 'FileSystemSecretStore', ...fields });
  const items = (...list: JsonObject[]): JsonObject => store({ secrets: [{ name: 'a', items: list }] });
  const selecting = (one: JsonObject): JsonObject => route({ dataPlanes: { matchExpressions: [one] } });
  it.each<['Route' | 'SecretStore' | 'AuditService', JsonObject, string[]]>([
    ['Route', route({}), []],
    ['Route', { onInvalid: 'Refuse' }, []], // that the handler is missing is said of the document
    ['Route', route({ name: 'default' }), ["spec.name: must not be 'default', which is the router's default handler"]],
    ['Route', route({ _id: 'a' }), ['spec._id: must not be given: the id of a Route is NAMESPACE.NAME']],
    ['Route', route({ onInvalid: 'Keep' }), ['spec.onInvalid: must be one of KeepLastGood, Refuse']],
    ['Route', route({ dataPlanes: { matchLabels: { a: 'b', 'c.d/e': '' } } }), []],
    [
      'Route',
      route({ dataPlanes: { matchLabels: { a: 'b c' } } }),
      ['spec.dataPlanes.matchLabels.a: must be the value of a label'],
    ],
    [
      'Route',
      route({ dataPlanes: { matchLabel: {} } }),
      ["spec.dataPlanes.matchLabel: there is no field 'matchLabel' here"],
    ],
    ['Route', route({ dataPlanes: [] }), ['spec.dataPlanes: must be an object, not an array']],
    ['Route', selecting({ key: 'a', operator: 'NotIn', values: ['b'] }), []],
    ['Route', selecting({ key: 'a', operator: 'Exists' }), []],
    [
      'Route',
      selecting({ key: 'a', operator: 'In' }),
      ['spec.dataPlanes.matchExpressions[0]: In and NotIn need values, Exists and DoesNotExist take none'],
    ],
    [
      'Route',
      selecting({ key: 'a', operator: 'Exists', values: ['b'] }),
      ['spec.dataPlanes.matchExpressions[0]: In and NotIn need values, Exists and DoesNotExist take none'],
    ],
    [
      'Route',
      selecting({ key: '/a', operator: 'Exists' }),
      ['spec.dataPlanes.matchExpressions[0].key: must be the key of a label'],
    ],
    [
      'SecretStore',
      store({ config: { anything: [1] }, secrets: [{ name: 'a.b' }], allowedNamespaces: ['shop', '*'] }),
      [],
    ],
    ['SecretStore', {}, ['spec.type: is required']],
    ['SecretStore', store({ config: 'x' }), ['spec.config: must be an object, not a string']],
    ['SecretStore', items({ key: 'a', file: 'b' }, { key: 'a.b', secretId: 'c' }), []],
    [
      'SecretStore',
      items({ key: 'a', file: 'b', secretId: 'c' }),
      ["spec.secrets[0].items[0].secretId: 'file' and 'secretId' cannot be given together"],
    ],
    ['SecretStore', items({ key: 'a', file: '../b' }), ['spec.secrets[0].items[0].file: must be the name of a file']],
    ['SecretStore', items({ key: 'a', file: '.' }), ['spec.secrets[0].items[0].file: must be the name of a file']],
    ['SecretStore', items({ key: 'a/b' }), ['spec.secrets[0].items[0].key: must be a key of a Secret']],
    ['SecretStore', items(), ['spec.secrets[0].items: must have at least 1 entry']],
    ['SecretStore', store({ secrets: [{ name: 'A' }] }), ['spec.secrets[0].name: must be the name of a Secret']],
    [
      'SecretStore',
      store({ allowedNamespaces: ['a*'] }),
      ['spec.allowedNamespaces[0]: must be the name of a namespace, or * for all of them'],
    ],
    ['AuditService', {}, []],
    [
      'AuditService',
      { config: { handlerForQueries: 'a' }, eventHandlers: [{ class: 'b', config: { name: 'a' } }] },
      [],
    ],
    ['AuditService', { eventHandlers: [{ config: {} }] }, ['spec.eventHandlers[0].class: is required']],
  ])('of a %s with %j are the expected ones', (kind, spec, expected) => {
    expect(specProblems(kind, spec).map(({ path, message }) => `${pathText(path)}: ${message}`)).toEqual(expected);
  });
});

it('the document of a Route is its spec without the fields of the controller', () => {
  const document = { name: 'a', handler: 'b', condition: '${true}', baseURI: 'c', heap: [] };
  expect(routeDocument({ ...document, dataPlanes: { matchLabels: {} }, onInvalid: 'Refuse' })).toEqual(document);
});
