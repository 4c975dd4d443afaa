import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { spoolRecordBytes } from '../../../dataplane/audit/spool/spool-record.ts';
import { FIRST_RECORD } from '../../../dataplane/audit/spool/spool-segment.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

let folder: InstanceFolder;
let base: string;
let gateway: GatewayProcess | undefined;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'gatewarden-kill-'));
  writeFileSync(join(base, 'files'), ''); // where the handler wants a directory: the destination is away
  const handler = {
    name: 'files',
    topics: ['access'],
    logDirectory: join(base, 'files'),
    queue: { maxEvents: 20 },
    spool: { directory: join(base, 'spool') },
  };
  const eventHandlers = [{ class: 'JsonAuditEventHandler', config: handler }];
  folder = new InstanceFolder({
    'config/routes/all.json': {
      handler: { type: 'StaticResponseHandler', config: { status: 204 } },
      auditService: { type: 'AuditService', config: { eventHandlers } },
    },
  });
});

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
  rmSync(base, { recursive: true, force: true });
});

/** Sums of the metrics of the handler, over all reasons. */
async function accounts(): Promise<Record<'emitted' | 'delivered' | 'waiting' | 'dropped', number>> {
  const { text } = await gateway!.admin('/metrics');
  const sum = (name: string): number =>
    [...text.matchAll(new RegExp(`^gw_audit_${name}\\{.*\\} (\\d+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    );
  return {
    emitted: sum('emitted_total'),
    delivered: sum('delivered_total'),
    waiting: sum('waiting'),
    dropped: sum('dropped_total'),
  };
}

async function request(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await (await fetch(`http://127.0.0.1:${gateway!.port}/`)).text();
}

async function kill(): Promise<void> {
  process.kill(gateway!.pid, 'SIGKILL');
  await gateway!.ended();
}

/** Whole records in the files of the spool. */
function spooled(): number {
  let records = 0;
  for (const name of readdirSync(join(base, 'spool')).filter((one) => one.endsWith('.spool'))) {
    const bytes = readFileSync(join(base, 'spool', name));
    for (let at = FIRST_RECORD; ; records++) {
      at += spoolRecordBytes(bytes, at) ?? Number.POSITIVE_INFINITY;
      if (at > bytes.length) break;
    }
  }
  return records;
}

/** Events that the accounts on disk count. */
function storedEmitted(): number {
  const path = join(base, 'spool', 'accounts');
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  return Math.max(0, ...[0, 512].filter((at) => bytes.length >= at + 512).map((at) => bytes.readDoubleLE(at + 24)));
}

const delivered = (): string[] =>
  readFileSync(join(base, 'files', 'access.audit.json'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { _id: string })._id);

it('loses no event that reached the spool when it is killed, counts those that did not, and goes on counting', async () => {
  gateway = await GatewayProcess.run(folder.path);
  await request(7);
  await expect.poll(accounts).toMatchObject({ emitted: 7, waiting: 7 }); // in memory: fewer than the queue takes
  await expect.poll(storedEmitted).toBe(7);
  await kill();

  gateway = await GatewayProcess.run(folder.path);
  await request(50);
  await expect.poll(accounts).toEqual({ emitted: 57, delivered: 0, waiting: 50, dropped: 7 });
  await expect.poll(spooled).toBe(50);
  await kill();

  rmSync(join(base, 'files'));
  mkdirSync(join(base, 'files'));
  gateway = await GatewayProcess.run(folder.path);
  await request(3);
  await expect.poll(accounts).toEqual({ emitted: 60, delivered: 53, waiting: 0, dropped: 7 });
  expect(new Set(delivered()).size).toBe(53);
  expect((await gateway.admin('/metrics')).text).toMatch(/^gw_audit_dropped_total\{.*reason="process-killed".*\} 7$/m);
});
