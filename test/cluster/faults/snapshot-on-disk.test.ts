import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { helloGateway, type Keeping, keepingIn, spoken, untilKept } from '../../support/cluster/keeping-planes.ts';
import type { DeployedGateway, PlaneStart } from '../../support/gateways/deployed-gateway.ts';
import { gatewarden } from '../../support/programs/run-program.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 50 };
let shop = '';

beforeEach(async () => {
  shop = await cluster.namespace('shop');
});

interface Unusable {
  readonly why: string;
  spoil(kept: Keeping): void;
  readonly start?: PlaneStart;
  readonly line: string;
  readonly reason?: RegExp;
}

const unusable: readonly Unusable[] = [
  {
    why: 'with one bit changed',
    spoil({ file }) {
      const bytes = readFileSync(file);
      const at = bytes.length >> 1;
      bytes[at] = bytes[at]! ^ 1;
      writeFileSync(file, bytes);
    },
    line: 'snapshot on disk is not usable; ignoring it',
    reason: /damaged, or sealed for another data plane or with another key/,
  },
  {
    why: 'truncated',
    spoil: ({ file }) => truncateSync(file, readFileSync(file).length - 1),
    line: 'snapshot on disk is not usable; ignoring it',
    reason: /damaged, or sealed for another data plane or with another key/,
  },
  {
    why: 'empty',
    spoil: ({ file }) => truncateSync(file, 0),
    line: 'snapshot on disk is not usable; ignoring it',
    reason: /not a sealed snapshot/,
  },
  {
    why: 'sealed with another key',
    spoil: ({ key }) => writeFileSync(key, randomBytes(32)),
    line: 'snapshot on disk is not usable; ignoring it',
    reason: /damaged, or sealed for another data plane or with another key/,
  },
  {
    why: 'of a plane with another ServiceAccount',
    spoil: () => undefined,
    start: { account: 'other' },
    line: 'snapshot on disk is not usable; ignoring it',
    reason: /damaged, or sealed for another data plane or with another key/,
  },
  {
    why: 'older than allowed',
    spoil: () => undefined,
    start: { words: ['--snapshot-max-age', '1ms'] },
    line: 'snapshot on disk is too old; ignoring it',
  },
];

describe('a snapshot on disk is not used', () => {
  it('when it is corrupt, truncated, of another data plane or too old, with a log line', async () => {
    const gateway = await helloGateway(cluster, shop);
    const good = keepingIn(gateway, 'good');
    const plane = await gateway.startPlane({ words: good.words });
    await untilKept(good.file);
    await gateway.kubectl(['create', 'serviceaccount', 'other', '-n', gateway.namespace]);
    const other = await gateway.makePod({ account: 'other' });
    const [{ process: controller }] = gateway.controllers as [(typeof gateway.controllers)[number]];
    await controller.stop();
    await plane.process.stop('SIGKILL');

    await Promise.all(
      unusable.map(async ({ why, spoil, start = {}, line, reason = /^/ }, at) => {
        const kept = copyOf(gateway, good, `case-${at}`);
        spoil(kept);
        const name = start.account === undefined ? plane.name : other;
        const words = [...kept.words, ...(start.words ?? [])];
        const started = await gateway.startWaitingPlane({ name, words });
        const said = await started.process.line(spoken('snapshot on disk'));
        expect(said.msg, why).toBe(line);
        expect(String(said['reason'] ?? ''), why).toMatch(reason);
        await started.process.line(spoken('no controller connected'));
        expect(await readiness(started.adminPort), why).toBe(503);
        expect(await started.process.stop(), why).toBe(0);
      }),
    );

    const kept = copyOf(gateway, good, 'as-it-was');
    const again = await gateway.startPlane({ name: plane.name, words: kept.words });
    expect(await said(again.port, '/hello')).toBe('200 first');
  });
});

describe('a snapshot that cannot be written', () => {
  it('on a full disk: the plane serves on, and the last whole snapshot stays', async () => {
    const gateway = await helloGateway(cluster, shop);
    const small = keepingIn(gateway, 'small');
    mkdirSync(small.directory);
    const mount = `mount -t tmpfs -o size=48k none '${small.directory}' && exec "$@"`;
    const command = ['unshare', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', gatewarden] as const;
    const plane = await gateway.startPlane({ words: small.words, command });
    const inside = `/proc/${plane.process.pid}/root${small.directory}`;
    const file = join(inside, 'snapshot.sealed');
    const whole = await untilKept(file);
    const client = new SteadyClient(plane.port, '/hello', (text) => text === 'first');

    const large = randomBytes(30_000).toString('hex');
    await gateway.apply(sayingRoute(shop, 'large', large));
    const warning = await plane.process.line(spoken('could not write the snapshot'));
    expect(warning['reason']).toMatch(/ENOSPC/);
    expect(await said(plane.port, '/large')).toBe(`200 ${large}`);
    expect(readFileSync(file).equals(whole)).toBe(true);
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
    expect(await client.stop()).toEqual([]);
    expect(client.answered).toBeGreaterThan(0);

    await gateway.kubectl(['delete', 'routes.gatewarden.io', 'large', '-n', shop]);
    await plane.process.line(spoken('snapshot written again after failures'));
    const rescued = keepingIn(gateway, 'rescued');
    mkdirSync(rescued.directory);
    writeFileSync(rescued.file, whole);
    copyFileSync(small.key, rescued.key);
    await gateway.controllers[0]!.process.stop();
    await plane.process.stop('SIGKILL');
    const again = await gateway.startPlane({ name: plane.name, words: rescued.words });
    expect(await said(again.port, '/hello')).toBe('200 first');
  });

  it('because its directory is missing: the data plane keeps serving, warns once, and writes when possible', async () => {
    const gateway = await helloGateway(cluster, shop);
    const { directory, file, words } = keepingIn(gateway, 'kept', 'taken/kept');
    writeFileSync(gateway.at('taken'), 'a file');
    const plane = await gateway.startPlane({ words });
    const warning = await plane.process.line(spoken('could not write the snapshot'));
    expect(warning).toMatchObject({ directory, reason: expect.stringMatching(/ENOTDIR|EEXIST/) });
    await gateway.apply(sayingRoute(shop, 'hello', 'second'));
    await vi.waitFor(async () => expect(await said(plane.port, '/hello')).toBe('200 second'), patience);

    rmSync(gateway.at('taken'));
    await gateway.apply(sayingRoute(shop, 'hello', 'third'));
    await plane.process.line(spoken('snapshot written again after failures'));
    await untilKept(file);
    expect(plane.process.said.filter(spoken('could not write the snapshot'))).toHaveLength(1);
  });
});

function copyOf(gateway: DeployedGateway, good: Keeping, name: string): Keeping {
  const kept = keepingIn(gateway, name);
  mkdirSync(kept.directory);
  copyFileSync(good.file, kept.file);
  copyFileSync(good.key, kept.key);
  return kept;
}

async function readiness(port: number): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/health/ready`)).status;
}
