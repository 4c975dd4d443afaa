import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WriterReach } from '../../../../dataplane/audit/writer/writer-messages.ts';
import { AuditUnit, handlerSettings } from '../../../support/audit/audit-unit.ts';
import { ids, REACH, supervised, upTo } from '../../../support/audit/supervised-writer.ts';

describe('the audit writer of a data plane', () => {
  it('delivers the events of several units in the order of each, with the topic as the last member', async () => {
    const { writer, lines, accounts } = supervised();
    const [first, second] = [new AuditUnit(), new AuditUnit()];
    for (const unit of [first, second]) writer.heard(unit, unit.open([handlerSettings({})]));
    for (let n = 0; n < 50; n++) for (const unit of [first, second]) unit.emit({ unit: unit === first ? 1 : 2 });

    await expect.poll(() => lines.length).toBe(100);
    expect(ids(lines.filter((line) => line.includes('"unit":1,')))).toEqual(upTo(50));
    expect(lines[0]).toMatch(/"_topic":"access"\}$/);
    await expect.poll(() => accounts()?.delivered).toBe(100);
    expect(accounts()).toMatchObject({ emitted: 100, waiting: 0 });
  });

  it('delivers what a unit wrote before it ended', async () => {
    const { writer, lines } = supervised();
    const unit = new AuditUnit();
    unit.emit();
    writer.heard(unit, unit.open([handlerSettings({})]));
    unit.emit();
    writer.lost(unit);

    await expect.poll(() => ids(lines)).toEqual([1, 2]);
    await expect.poll(() => writer.figures).toHaveLength(1);
  });

  it('starts when it is known what handlers may connect to, and loses nothing that was written before', async () => {
    let known: WriterReach | null = null;
    const { writer, lines } = supervised(() => known);
    const unit = new AuditUnit();
    writer.heard(unit, unit.open([handlerSettings({})]));
    unit.emit();
    expect(writer.replace()).toBe(false); // there is none

    known = REACH;
    writer.reachChanged();
    unit.emit();
    await expect.poll(() => ids(lines)).toEqual([1, 2]);
  });

  it('delivers everything at a stop, and what units wrote for a service before they closed it', async () => {
    const { writer, lines } = supervised();
    const unit = new AuditUnit();
    writer.heard(unit, unit.open([handlerSettings({})]));
    for (let n = 0; n < 200; n++) unit.emit();
    writer.heard(unit, { kind: 'audit-close', service: 1 });
    await writer.drain(60_000);

    expect(ids(lines)).toEqual(upTo(200));
  });

  it('goes on with the events in the ring when its thread dies, and counts those that were in its memory', async () => {
    const { writer, lines, output, accounts } = supervised();
    const unit = new AuditUnit();
    output.isBroken = true;
    writer.heard(unit, unit.open([handlerSettings({})]));
    for (let n = 0; n < 10; n++) unit.emit();
    await expect.poll(() => accounts()?.waiting).toBe(10);

    writer.replace();
    await expect.poll(() => writer.restarts).toBe(1);
    output.isBroken = false;
    for (let n = 0; n < 10; n++) unit.emit();

    await expect.poll(() => accounts()?.delivered).toBe(10);
    expect(ids(lines)).toEqual(upTo(20).slice(10));
    expect(accounts()!.dropped('writer-restart')).toBe(10);
    expect(accounts()).toMatchObject({ emitted: 20, waiting: 0 });
  });

  it('says at a stop how many events of a handler were not delivered', async () => {
    const { writer, logged, output, accounts } = supervised();
    const unit = new AuditUnit();
    output.isBroken = true;
    writer.heard(unit, unit.open([handlerSettings({})]));
    for (let n = 0; n < 3; n++) unit.emit();
    await expect.poll(() => accounts()?.waiting).toBe(3);
    await writer.drain(50);

    const line = logged.map((text) => JSON.parse(text)).find(({ msg }) => /not delivered before/.test(msg));
    expect(line).toMatchObject({ service: 'main', handler: 'handler', emitted: 3, delivered: 0, inSpool: 0 });
    expect(line).toMatchObject({ dropped: 3, droppedAtStop: 3 });
    expect(accounts()!.dropped('closed')).toBe(3);
  });

  it('says at a stop how many events were dropped in all, also those of before', async () => {
    const { writer, logged, accounts } = supervised();
    const unit = new AuditUnit();
    writer.heard(unit, unit.open([handlerSettings({})]));
    unit.emit({ text: 'x'.repeat(70_000) });
    unit.emit();
    await expect.poll(() => accounts()?.delivered).toBe(1);
    await writer.drain(60_000);

    const line = logged.map((text) => JSON.parse(text)).find(({ msg }) => /not delivered before/.test(msg));
    expect(line).toMatchObject({ emitted: 2, delivered: 1, dropped: 1, droppedAtStop: 0, inSpool: 0 });
  });

  it('refuses requests again at once when its thread was replaced while the spool of a handler was full', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatewarden-refuse-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const { writer, logged, output } = supervised();
    const unit = new AuditUnit();
    output.isBroken = true;
    const spool = { directory, maxSize: 40_000 };
    const queue = { maxEvents: 2, maxBytes: 1 << 20 };
    writer.heard(unit, unit.open([handlerSettings({ spool, queue, whenFull: 'REFUSE_TRAFFIC' })]));
    for (let n = 0; n < 100; n++) unit.emit({ text: 'x'.repeat(1000) });
    await expect.poll(() => unit.state.refusesTraffic).toBe(true);

    writer.replace();
    await expect.poll(() => logged.join('')).toContain('audit events found in the spool');
    expect(unit.state.refusesTraffic).toBe(true);
    output.isBroken = false;
    await expect.poll(() => unit.state.refusesTraffic).toBe(false);
  });

  it('counts an event that a unit could not write although no other event follows', async () => {
    const { writer, accounts } = supervised();
    const unit = new AuditUnit();
    writer.heard(unit, unit.open([handlerSettings({})]));
    unit.emit();
    await expect.poll(() => accounts()?.delivered).toBe(1);
    unit.emit({ text: 'x'.repeat(70_000) });

    await expect.poll(() => accounts()?.dropped('too-large')).toBe(1);
    expect(accounts()).toMatchObject({ emitted: 2, waiting: 0 });
  });

  it('counts records of unknown services and topics, reports them once, and delivers the others', async () => {
    const { writer, lines, logged } = supervised();
    const unit = new AuditUnit();
    writer.heard(unit, unit.open([handlerSettings({})], 'main', 5));
    for (const [service, topic] of [
      [3, 0],
      [5, 9],
      [5, 0],
    ] as const) {
      unit.record(service, topic);
    }

    await expect.poll(() => lines).toHaveLength(1);
    const [unknown] = writer.figures.filter(({ handler }) => handler === '');
    expect(unknown?.accounts).toMatchObject({ emitted: 2, droppedInAll: 2, waiting: 0 });
    expect(logged.filter((line) => line.includes('unknown service or topic'))).toHaveLength(1);
  });

  it('counts the records of a unit that ended before the writer heard of their service', async () => {
    const { writer, logged } = supervised();
    const unit = new AuditUnit();
    writer.heard(unit, unit.open([handlerSettings({})]));
    unit.record(7, 0);
    writer.lost(unit);

    await expect.poll(() => logged.join('')).toContain('unknown service or topic');
    expect(writer.figures.find(({ handler }) => handler === '')?.accounts).toMatchObject({ emitted: 1, waiting: 0 });
  });

  it('counts events that a unit could not write into its ring', async () => {
    const { writer, accounts } = supervised();
    const unit = new AuditUnit();
    for (let n = 0; n < 300; n++) unit.emit({ text: 'x'.repeat(1000) });
    unit.emit({ text: 'x'.repeat(70_000) });
    writer.heard(unit, unit.open([handlerSettings({})]));

    await expect.poll(() => accounts()?.emitted).toBe(301);
    await expect.poll(() => accounts()?.waiting).toBe(0);
    expect(accounts()!.dropped('too-large')).toBe(1);
    expect(accounts()!.dropped('ring-full')).toBe(301 - 1 - accounts()!.delivered);
    expect(accounts()!.dropped('ring-full')).toBeGreaterThan(0);
  });
});
