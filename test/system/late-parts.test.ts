import { afterEach, expect, it, vi } from 'vitest';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { type FolderContent, InstanceFolder } from '../support/gateways/instance-folder.ts';
import { gatewarden, runProgram } from '../support/programs/run-program.ts';

let folder: InstanceFolder;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
});

const scripted = (text: string, source = `def r = new Response(Status.OK); r.entity = '${text}'; r`): object => ({
  handler: { type: 'ScriptableHandler', config: { type: 'application/x-groovy', source } },
});
const unscripted = { handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'static' } } };
const router = { heap: [{ name: '_router', type: 'Router', config: { scanInterval: '20 milliseconds' } }] };

async function run(content: FolderContent): Promise<void> {
  folder = new InstanceFolder({ 'config/config.json': router, ...content });
  gateway = await GatewayProcess.run(folder.path, ['--units', '2'], {});
}

/** Waits until every unit answers like this. */
async function becomes(expected: string): Promise<void> {
  const get = async (): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${gateway!.port}/`, { headers: { connection: 'close' } });
    return `${response.status} ${await response.text()}`;
  };
  await vi.waitFor(
    async () => {
      for (let at = 0; at < 8; at++) expect(await get()).toBe(expected);
    },
    { timeout: 60_000, interval: 20 },
  );
}

it('runs a script that is there from the start', async () => {
  await run({ 'config/routes/a.json': scripted('first') });
  await becomes('200 first');
});

it('runs the first script that a running gateway gets, and the change after it', async () => {
  await run({ 'config/routes/a.json': unscripted });
  await becomes('200 static');
  folder.replace('config/routes/a.json', scripted('first'));
  await becomes('200 first');
  folder.replace('config/routes/a.json', unscripted);
  await becomes('200 static');
});

it('rejects a mistake in the first script that a running gateway gets', async () => {
  await run({ 'config/routes/a.json': unscripted });
  folder.replace('config/routes/a.json', scripted('', 'def = 1'));
  const said = (): string => gateway!.said.map((line) => JSON.stringify(line)).join('\n');
  await vi.waitFor(() => expect(said()).toContain('the script, line 1, column 5'), { timeout: 60_000, interval: 20 });
  await becomes('200 static');
});

const audited = (schema: object): object => ({
  heap: [
    {
      name: 'audit',
      type: 'AuditService',
      config: {
        config: { topics: { orders: { schema } } },
        eventHandlers: [{ class: 'JsonStdoutAuditEventHandler', config: { name: 'out', topics: ['orders'] } }],
      },
    },
  ],
  auditService: 'audit',
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'audited' } },
});

it('serves the first route with a topic of its own that a running gateway gets', async () => {
  await run({ 'config/routes/a.json': unscripted });
  await becomes('200 static');
  folder.replace('config/routes/a.json', audited({ type: 'object', properties: { id: { type: 'string' } } }));
  await becomes('200 audited');
});

it('finds the mistake of a schema of a topic', async () => {
  const schema = { type: 'object', properties: { id: { type: 'nonsense' } } };
  folder = new InstanceFolder({ 'config/routes/a.json': audited(schema) });
  const { code, stdout } = await runProgram(gatewarden, ['check', folder.path], {});
  expect(stdout).toContain('topics.orders.schema.properties.id.type');
  expect(code).toBe(1);
});

const manifest = (source: string): object => ({
  apiVersion: 'gatewarden.io/v1alpha1',
  kind: 'Route',
  metadata: { name: 'scripted', namespace: 'shop' },
  spec: { ...scripted('', source) },
});

it.each([
  ['an instance', { 'config/routes/a.json': scripted('', 'def = 1') }, '.'],
  ['a single file', { 'a.json': scripted('', 'def = 1') }, 'a.json'],
  [
    'admin.json',
    { 'config/admin.json': { heap: [{ name: 's', ...(scripted('', 'def = 1') as { handler: object }).handler }] } },
    '.',
  ],
  ['manifests', { 'manifests/a.json': manifest('def = 1') }, 'manifests'],
])('finds the mistake of a script in %s', async (_, content, path) => {
  folder = new InstanceFolder(content as FolderContent);
  const { code, stdout } = await runProgram(gatewarden, ['check', folder.at(path)], {});
  expect(stdout).toContain('the script, line 1, column 5');
  expect(code).toBe(1);
});
