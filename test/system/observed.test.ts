import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { answerAsObserved } from '../support/backends/observed-backend.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { type FolderContent, InstanceFolder } from '../support/gateways/instance-folder.ts';
import { serveInstance } from '../support/gateways/served-instance.ts';
import { differences } from '../support/observed/observed-differences.ts';
import {
  differenceOf,
  foundLoading,
  observedLoading,
  observedOutcome,
  sentOutcome,
  unloadedOutcome,
} from '../support/observed/observed-outcome.ts';
import { isAboutLoading, type ObservedRow, observedBase, observedRows } from '../support/observed/observed-row.ts';
import { settingOf } from '../support/observed/observed-setting.ts';

const rows = observedRows();
/** Rows that ask for nothing that there is in this version, and why. */
const notAsked = new Map<number, string>([
  ...[87, 88, 89, 90, 91, 102].map((id) => [id, 'asks for routes over Common REST'] as const),
  ...[403, 405, 407].map((id) => [id, 'asks for the figures of a route over Common REST'] as const),
  ...[106, 107, 111].map((id) => [id, 'holds no request and no answer'] as const),
  [167, 'lists names of types: see below'],
]);
const expected = new Map(differences.flatMap(({ rows: lines }) => Object.entries(lines)));

let backend: EchoBackend;
beforeAll(async () => {
  backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    void answerAsObserved(request, response);
  });
});
afterAll(() => backend.close());

/** With the real name of the backend. */
function placed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('app.test', new URL(backend.url).host)) as T;
}

const inRoutes = (content: FolderContent): FolderContent =>
  Object.fromEntries(Object.entries(content).map(([name, value]) => [`config/routes/${name}`, value]));

async function comparedRow(row: ObservedRow): Promise<string[]> {
  const { route, first, changes = [] } = placed(settingOf(row, rows));
  const instance = await serveInstance(
    { 'config/config.json': placed(observedBase), ...inRoutes(first) },
    { HOME: '/home' },
  );
  try {
    for (const change of changes) await instance.change(inRoutes(change));
    const { problems, serves } = instance.verdict(`config/routes/${route}`);
    if (isAboutLoading(row)) {
      const reference = observedLoading(row.response);
      return differenceOf(reference, foundLoading(problems, reference));
    }
    const places = {
      gateway: `127.0.0.1:${instance.port}`,
      backend: new URL(backend.url).host,
      instance: instance.path,
    };
    const isThere = serves === 'this' || serves === 'last-good' || row.area === 'routing';
    const ours = isThere ? await sentOutcome(instance.port, row.request, places) : unloadedOutcome(problems);
    return differenceOf(observedOutcome(row.response), ours);
  } finally {
    await instance.close();
  }
}

describe('recorded behaviour of OpenIG', () => {
  const asked = rows.filter(({ id, area }) => !notAsked.has(id) && area !== 'admin-mode');

  it.each(asked.map((row) => [row.id, row.area, row] as const))('row %i, %s', async (id, _, row) => {
    expect(await comparedRow(row)).toEqual(expected.get(String(id)) ?? []);
  });

  it('is compared row by row, and each difference is in one place', () => {
    const ids = new Set(rows.map(({ id }) => id));
    const listed = differences.flatMap(({ rows: lines }) => Object.keys(lines).map(Number));
    expect([...notAsked.keys(), ...listed].filter((id) => !ids.has(id))).toEqual([]);
    expect(listed.filter((id, index) => listed.indexOf(id) !== index || notAsked.has(id))).toEqual([]);
    expect([...expected].filter(([, lines]) => lines.length === 0)).toEqual([]);
  });

  it.each([...notAsked])('row %i %s', (id) => {
    const { request, response } = rows.find((row) => row.id === id)!;
    expect(request.path ?? '/openig/api/').toMatch(/^\/openig\/api\//);
    expect(request.path === undefined).toBe(response.status === undefined);
  });
});

describe('recorded behaviour of OpenIG under its administrative path', () => {
  const asked = rows.filter(({ area }) => area === 'admin-mode');
  const admin = { prefix: 'adm', mode: 'PRODUCTION' };
  let folder: InstanceFolder;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    folder = new InstanceFolder({
      'config/admin.json': admin,
      'config/config.json': observedBase,
      'config/routes/ready.json': { condition: "${matches(request.uri.path, '^/ready')}", handler: 'ClientHandler' },
    });
    gateway = await GatewayProcess.run(folder.path);
  });
  afterAll(async () => {
    await gateway.stop();
    folder[Symbol.dispose]();
  });

  it.each(asked.map((row) => [row.id, row] as const))('row %i', async (id, { config, request, response }) => {
    expect(config).toEqual({ 'admin.json': admin });
    const places = { gateway: `127.0.0.1:${gateway.port}`, backend: 'app.test', instance: folder.path };
    const ours = await sentOutcome(gateway.port, request, places);
    expect(differenceOf(observedOutcome(response), ours)).toEqual(expected.get(String(id)) ?? []);
  });
});

it('knows the name of every recorded type of OpenIG', () => {
  const { known = [] } = rows.find(({ id }) => id === 167)!.response;
  expect(known.length).toBeGreaterThan(50);
  const unknown = known.filter((name) => {
    return catalogue.find(name) === undefined && catalogue.unknown(name).code === 'unknown-type';
  });
  expect(unknown).toEqual([]);
});
