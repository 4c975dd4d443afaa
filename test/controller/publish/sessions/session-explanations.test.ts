import { afterEach, describe, expect, it } from 'vitest';
import type { Explain, Hello } from '../../../../contract/channel.ts';
import type { DryRun } from '../../../../contract/shown/dry-run.ts';
import type { DryRunAnswer, DryRunQuestion } from '../../../../controller/publish/dry-run-question.ts';
import { publishedRoute, publishedState } from '../../../support/channel/published-routes.ts';
import type { ScriptedPlane } from '../../../support/channel/scripted-plane.ts';
import { ServedChannel, type ServedChannelOptions } from '../../../support/channel/served-channel.ts';

let channel: ServedChannel;
afterEach(() => channel.close());

const RUN: DryRun = { revision: 'r1', unit: 0, steps: [], status: 200, milliseconds: 1 };
const QUESTION: DryRunQuestion = {
  request: { method: 'GET', uri: 'https://shop.test/orders', headers: [] },
  route: 'shop.a',
  plane: { group: 'default', namespace: null, labels: {}, isSidecar: false },
};

async function serve(options: ServedChannelOptions = {}): Promise<void> {
  channel = await new ServedChannel(options).start();
  channel.sessions.publish(publishedState([publishedRoute('a')]));
}

function report(plane: ScriptedPlane, ready: boolean): void {
  const figures = { unitsServing: 1, clock: 1, since: 's', routes: [] };
  plane.send({ type: 'report', revision: 'r', ready, ...figures });
}

/** A plane that runs the newest revision, and has said whether it is ready. */
async function servingPlane(hello: Partial<Hello> = {}, ready = true): Promise<ScriptedPlane> {
  const { name = 'edge-1' } = hello;
  const plane = channel.plane().hello({ explains: true, ...hello });
  plane.ack(await plane.update());
  report(plane, ready);
  await channel.until(() => {
    const { revision = null, lastReport = null } = channel.facts(name) ?? {};
    return revision !== null && lastReport !== null;
  });
  return plane;
}

const explain = (question: Partial<DryRunQuestion> = {}): Promise<DryRunAnswer> =>
  channel.sessions.explain({ ...QUESTION, ...question });

describe('a dry run on a data plane', () => {
  it('is made by one that is ready and runs the newest revision, which the answer names', async () => {
    await serve();
    const plane = await servingPlane();
    const answer = explain();
    const asked = (await plane.message('explain')) as Explain;
    expect(asked).toEqual({ type: 'explain', number: 1, request: QUESTION.request, route: 'shop.a' });
    plane.send({ type: 'explained', number: asked.number, dryRun: RUN });
    expect(await answer).toEqual({ dryRun: { ...RUN, plane: 'edge-1' } });
    expect(channel.sessions.explainer(QUESTION)?.name).toBe('edge-1');
    const whole = explain({ route: null });
    expect(await plane.message('explain')).not.toHaveProperty('route');
    plane.send({ type: 'explained', number: 2, failure: 'no gateway unit serves' });
    expect(await whole).toEqual({
      failure: 'failed',
      message: "the dry run on 'edge-1' failed: no gateway unit serves",
    });
  });

  it('is not asked of data planes of an older version, which hear nothing of it', async () => {
    await serve();
    const plane = channel.plane().hello();
    plane.ack(await plane.update());
    report(plane, true);
    await channel.until(() => (channel.facts()?.lastReport ?? null) !== null);
    expect(await explain()).toMatchObject({ failure: 'older', message: expect.stringContaining('an older version') });
    expect(plane.received.map(({ type }) => type)).not.toContain('explain');
  });

  it('waits for the newest revision, and for readiness', async () => {
    await serve();
    expect(await explain()).toMatchObject({ failure: 'unconnected' });
    const plane = await servingPlane({}, false);
    expect(await explain()).toMatchObject({ failure: 'behind' });
    report(plane, true);
    await channel.until(() => channel.facts()?.lastReport?.report.ready === true);
    channel.sessions.publish(publishedState([publishedRoute('a', 'two')]));
    expect(await explain()).toMatchObject({ failure: 'behind' });
    expect(channel.sessions.explainer(QUESTION)).toBeNull();
    plane.ack(await plane.update());
    await channel.until(() => channel.facts()?.pending === null);
    void explain();
    expect(await plane.message('explain')).toMatchObject({ type: 'explain' });
  });

  it.each([
    ['another group', { group: 'inner' }],
    ['a sidecar', { isSidecar: true }],
    ['another namespace', { namespace: 'shop' }],
    ['other labels', { labels: { zone: 'b' } }],
  ])('for %s is not asked of this data plane', async (_, other) => {
    await serve();
    const plane = await servingPlane();
    const answer = await explain({ plane: { ...QUESTION.plane, ...other } });
    expect(answer).toMatchObject({ failure: 'unconnected' });
    expect(plane.received.map(({ type }) => type)).not.toContain('explain');
    expect(channel.sessions.explainer({ plane: { ...QUESTION.plane, labels: { zone: 'a' } } })).not.toBeNull();
  });

  it('fails when the data plane disconnects, and when it does not answer in time', async () => {
    await serve({ sessions: { settings: { explainTimeout: 50 } } });
    const plane = await servingPlane();
    expect(await explain()).toEqual({
      failure: 'failed',
      message: "the data plane 'edge-1' did not answer within 0.05 seconds",
    });
    plane.send({ type: 'explained', number: 1, dryRun: RUN });
    plane.send({ type: 'explained', number: 77, dryRun: RUN });
    await channel.close();
    await serve();
    const other = await servingPlane();
    const answer = explain();
    await other.message('explain');
    other.close();
    expect(await answer).toEqual({
      failure: 'failed',
      message: "the data plane 'edge-1' disconnected during the dry run",
    });
  });

  it.each([
    [
      'nested too deeply',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      'its answer is nested more than 256 levels deep',
    ],
    ['longer than any', JSON.stringify('x'.repeat(1_100_000)), 'its answer has more than 1048576 characters'],
    ['of too many values', `[${'1e20,'.repeat(250_000)}1]`, 'its answer has more than 200000 values'],
  ])('fails if the answer is %s', async (_, value, reason) => {
    await serve();
    const plane = await servingPlane();
    const answer = explain();
    await plane.message('explain');
    const step = { kind: 'filter', type: '', name: '', object: '', depth: 0, outcome: 'passed', milliseconds: 0 };
    const run = JSON.stringify({ ...RUN, steps: [{ ...step, values: [], facts: { ключ: 'VALUE' }, changes: [] }] });
    const text = `{"type":"explained","number":1,"dryRun":${run.replace('"VALUE"', () => value)}}`;
    plane.sendBytes(Buffer.from(text));
    expect(await answer).toEqual({ failure: 'failed', message: `the dry run on 'edge-1' failed: ${reason}` });
  });

  it('goes to the data plane with the fewest, and at most four run on one', async () => {
    await serve();
    const planes = [await servingPlane({ name: 'edge-1' }), await servingPlane({ name: 'edge-2' })];
    for (let at = 0; at < 8; at++) void explain();
    expect(await explain()).toMatchObject({
      failure: 'failed',
      message: expect.stringContaining('4 dry runs already'),
    });
    for (const plane of planes) {
      for (let number = 1; number <= 4; number++) {
        expect(await plane.message('explain')).toMatchObject({ number });
      }
    }
  });
});
