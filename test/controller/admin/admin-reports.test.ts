import { expect, it } from 'vitest';
import { dumpText } from '../../../controller/admin/dump-text.ts';
import { statusReport } from '../../../controller/admin/status-report.ts';
import type { Snapshot } from '../../../controller/compile/snapshot.ts';
import type { PlaneFacts } from '../../../controller/publish/plane-facts.ts';
import { plane, routeKey, routeProblems, verdict } from '../../support/cluster/judged-resources.ts';

it('shows the configuration of data planes without secrets, with file names of stores only', () => {
  const store = {
    name: 'keys',
    type: 'Base64EncodedSecretStore',
    config: { secrets: { 'api.key': 'bXktc2VjcmV0' }, password: 'in-the-open' },
  };
  const snapshot: Snapshot = {
    revision: 'r1',
    base: { document: { heap: [store] }, hash: 'b1' },
    routes: [
      {
        ...verdict('orders').route!,
        document: { heap: [store], handler: 'Forward' },
        files: { 'shop/keys/key.pem': 'LS0tLS1CRUdJTg==' },
      },
    ],
    resources: [
      {
        type: 'objects',
        key: 'SecretStore/shop/keys',
        hash: 'h1',
        objects: [store],
        files: { 'shop/keys/a': 'c2VzYW1l' },
      },
      {
        type: 'server-certificate',
        key: 'Certificate/shop/web',
        hash: 'h2',
        tenant: 'shop',
        hosts: { 'shop.test': '' },
        chain: 'a chain',
        privateKey: 'a private key',
      },
    ],
    defaults: [],
  };
  const text = dumpText(snapshot, [verdict('orders')]);
  for (const secret of ['bXktc2VjcmV0', 'in-the-open', 'LS0tLS1CRUdJTg', 'c2VzYW1l', 'a private key'])
    expect(text).not.toContain(secret);
  expect(JSON.parse(text)).toMatchObject({
    revision: 'r1',
    routes: [{ id: 'shop.orders', document: { handler: 'Forward' }, fileNames: ['shop/keys/key.pem'] }],
    resources: [
      { key: 'SecretStore/shop/keys', fileNames: ['shop/keys/a'] },
      { key: 'Certificate/shop/web', chain: 'a chain' },
    ],
    verdicts: [{ kind: 'Route', resource: 'shop/orders', serves: 'this', hash: 'orders-1', isRemembered: false }],
  });
});

it('dumps something before anything is compiled', () => {
  expect(JSON.parse(dumpText(null, []))).toEqual({
    revision: null,
    base: null,
    defaults: [],
    routes: [],
    resources: [],
    verdicts: [],
  });
});

it('shows the state of data planes', () => {
  const report = {
    type: 'report',
    revision: 'r2',
    ready: true,
    unitsServing: 1,
    clock: 9500,
    since: 's',
    memory: 77,
    confirmed: 9200,
    routes: [],
  } as const;
  const planes: readonly PlaneFacts[] = [
    plane('d', {}, { revision: 'r2', units: 2, connectedSince: 4000, lastReport: { at: 9000, report } }),
    plane('c', { orders: 'h' }, { revision: 'r1', pending: { revision: 'r2', sentAt: 9990 } }),
    plane('b', {}, { revision: 'r2', problems: new Map([[routeKey('orders'), routeProblems('no such directory')]]) }),
    plane('a'),
  ];
  const accepted = { status: false, reason: 'Invalid', message: 'no' } as const;
  const shown = statusReport({
    controller: 'x',
    leader: { name: 'x', address: 'x:1' },
    isLeader: true,
    waitsFor: null,
    revision: 'r2',
    followers: ['y'],
    baseProblems: ['error: no'],
    sessionKeysFault: 'forbidden',
    verdicts: [verdict('orders'), verdict('carts', { accepted })],
    reflectors: [],
    planes,
    isConnected: (id) => id !== 'a',
    revisionFor: () => 'r2',
    now: 10_000,
  });
  expect([shown.baseProblems, shown.sessionKeysFault]).toEqual([['error: no'], 'forbidden']);
  expect(shown.resources).toEqual([{ kind: 'Route', count: 2, notAccepted: 1, refsNotResolved: 0 }]);
  expect(shown.planes).toMatchObject([
    { plane: 'edge/a', state: 'left', connectedSince: null, units: null, memory: null, snapshotAge: null },
    {
      plane: 'edge/b',
      state: 'refused',
      problems: [
        {
          ...{ router: 'gateway._router', route: 'shop.orders', keepsServing: true },
          message: 'handler.config: no such directory',
        },
      ],
      problemCount: 1,
    },
    { plane: 'edge/c', state: 'behind', lag: 10, routes: 1, ready: null, clockAhead: null },
    { plane: 'edge/d', state: 'current', lag: null, age: 6000, ready: true, clockAhead: 500, snapshotAge: 1300 },
  ]);
  expect(shown.planes.at(-1)).toMatchObject({
    ...{ name: 'd', namespace: 'edge', labels: {}, isSidecar: false, connectedSince: '1970-01-01T00:00:04.000Z' },
    ...{ units: 2, unitsServing: 1, memory: 77, problemCount: 0 },
  });
});
