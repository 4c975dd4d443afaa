import { existsSync, readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

let folder: InstanceFolder | undefined;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder?.[Symbol.dispose]();
});

const PATIENCE = { timeout: 60_000, interval: 50 };
const AUDIT = '&{ig.instance.dir}/audit';

async function ask(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await (await fetch(`http://127.0.0.1:${gateway!.port}/${n}`)).text();
}

/** A figure of one handler, over its labels. */
async function figure(name: string, handler: string): Promise<number> {
  const { text } = await gateway!.admin('/metrics');
  const rows = text.split('\n').filter((line) => line.startsWith(`${name}{`) && line.includes(`handler="${handler}"`));
  return rows.reduce(
    (sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))),
    rows.length === 0 ? Number.NaN : 0,
  );
}

it('delivers to the other handlers while one has no secret, and to that one once the secret is there', async () => {
  const csv = { logDirectory: AUDIT, security: { enabled: true, secretsProvider: 'keys', secretId: 'audit.key' } };
  folder = new InstanceFolder({
    'config/config.json': {
      heap: [
        {
          name: 'keys',
          type: 'FileSystemSecretStore',
          config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
        },
      ],
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'served' } },
      auditService: {
        type: 'AuditService',
        config: {
          eventHandlers: [
            { class: 'JsonAuditEventHandler', config: { name: 'files', topics: ['access'], logDirectory: AUDIT } },
            { class: 'CsvAuditEventHandler', config: { name: 'evidence', topics: ['access'], ...csv } },
          ],
        },
      },
    },
    'secrets/other': 'x',
  });
  const began = performance.now();
  gateway = await GatewayProcess.run(folder.path, ['--units', '2']);
  await ask(20);

  await expect.poll(() => figure('gw_audit_delivered_total', 'files'), PATIENCE).toBe(20);
  await expect.poll(() => figure('gw_audit_waiting', 'evidence'), PATIENCE).toBe(20);
  expect(await figure('gw_audit_dropped_total', 'evidence')).toBe(0);
  const { said } = gateway;
  const warnings = () => said.filter((line) => JSON.stringify(line).includes('secret of an audit handler'));
  await expect.poll(() => JSON.stringify(warnings())).toContain('"handler":"evidence"');

  folder.replace('secrets/audit.key', 'k'.repeat(64));
  await expect.poll(() => figure('gw_audit_delivered_total', 'evidence'), PATIENCE).toBe(20);
  await ask(5);
  await expect.poll(() => figure('gw_audit_delivered_total', 'evidence'), PATIENCE).toBe(25);
  expect(await figure('gw_audit_emitted_total', 'evidence')).toBe(25);
  const file = folder.at('audit/tamper-evident-access.csv');
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, 'utf8').match(/"?GW-HTTP-ACCESS"?/g)).toHaveLength(25);
  // two units, one line each in a minute
  expect(warnings().length).toBeLessThanOrEqual(2 * Math.ceil((performance.now() - began) / 60_000));
});
