import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AuditUnit, handlerSettings } from '../../../support/audit/audit-unit.ts';
import { ids, supervised, upTo } from '../../../support/audit/supervised-writer.ts';

const PATIENCE = { timeout: 60_000 };

function spool(): { readonly directory: string; readonly maxSize: number } {
  const directory = mkdtempSync(join(tmpdir(), 'gatewarden-changed-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { directory, maxSize: 1 << 20 };
}

const few = { maxEvents: 2, maxBytes: 1 << 20 };

describe('an audit service that a reload changes', () => {
  it.each([
    ['its settings', { className: 'JsonStdoutAuditEventHandler' }, 'main'],
    ['its name', { className: 'JsonStdoutAuditEventHandler' }, 'other'],
    ['the name of its handler', { name: 'other' }, 'main'],
  ])('leaves the events of its spool to the next one, in order, when it changes %s', async (_what, more, name) => {
    const { writer, lines, output, sum } = supervised();
    const unit = new AuditUnit();
    const settings = handlerSettings({ spool: spool(), queue: few });
    output.isBroken = true;
    writer.heard(unit, unit.open([settings], 'one'));
    for (let n = 0; n < 10; n++) unit.emit();
    await expect.poll(sum, PATIENCE).toMatchObject({ emitted: 10, waiting: 10 });

    writer.heard(unit, unit.open([{ ...settings, ...more }], 'two', 2, null, name));
    unit.emit({}, 2);
    writer.heard(unit, { kind: 'audit-close', service: 1 });
    for (let n = 0; n < 9; n++) unit.emit({}, 2);
    await expect.poll(sum, PATIENCE).toEqual({ emitted: 20, delivered: 0, waiting: 20, dropped: 0 });
    output.isBroken = false;

    await expect.poll(() => ids(lines), PATIENCE).toEqual(upTo(20));
    await expect.poll(sum, PATIENCE).toEqual({ emitted: 20, delivered: 20, waiting: 0, dropped: 0 });
  });

  it('keeps its accounts when it is opened again while it is being closed', async () => {
    const { writer, lines, output, sum } = supervised();
    const unit = new AuditUnit();
    output.isBroken = true;
    writer.heard(unit, unit.open([handlerSettings({})]));
    for (let n = 0; n < 5; n++) unit.emit();
    await expect.poll(sum, PATIENCE).toMatchObject({ waiting: 5 });
    writer.heard(unit, { kind: 'audit-close', service: 1 });
    writer.heard(unit, unit.open([handlerSettings({})], 'main', 2));
    for (let n = 0; n < 3; n++) unit.emit({}, 2);
    await expect.poll(sum, PATIENCE).toMatchObject({ emitted: 8, waiting: 8 });
    output.isBroken = false;

    await expect.poll(sum, PATIENCE).toEqual({ emitted: 8, delivered: 8, waiting: 0, dropped: 0 });
    unit.emit({}, 2);
    await expect.poll(sum, PATIENCE).toEqual({ emitted: 9, delivered: 9, waiting: 0, dropped: 0 });
    expect(ids(lines).sort((a, b) => a - b)).toEqual(upTo(9));
  });

  it('counts the events of a service that the writer was closing when it died', async () => {
    const { writer, output, sum } = supervised();
    const unit = new AuditUnit();
    output.isBroken = true;
    writer.heard(unit, unit.open([handlerSettings({})], 'one'));
    writer.heard(unit, unit.open([handlerSettings({})], 'two', 2));
    for (let n = 0; n < 5; n++) unit.emit();
    await expect.poll(sum, PATIENCE).toMatchObject({ waiting: 5 });
    writer.heard(unit, { kind: 'audit-close', service: 1 });
    unit.emit({}, 2);
    await expect.poll(sum, PATIENCE).toMatchObject({ waiting: 6 });

    writer.replace();
    await expect.poll(sum, PATIENCE).toEqual({ emitted: 6, delivered: 0, waiting: 0, dropped: 6 });
    output.isBroken = false;
    unit.emit({}, 2);
    await expect.poll(sum, PATIENCE).toEqual({ emitted: 7, delivered: 1, waiting: 0, dropped: 6 });
  });

  it('shows what a removed handler left in its spool, until another one opens that', async () => {
    const { writer, lines, logged, output, sum } = supervised();
    const unit = new AuditUnit();
    const settings = handlerSettings({ spool: spool(), queue: few });
    output.isBroken = true;
    writer.heard(unit, unit.open([settings], 'one'));
    writer.heard(unit, unit.open([handlerSettings({})], 'two', 2));
    for (let n = 0; n < 10; n++) unit.emit();
    await expect.poll(sum, PATIENCE).toMatchObject({ waiting: 10 });
    writer.heard(unit, { kind: 'audit-close', service: 1 });
    unit.emit({}, 2);
    await expect.poll(sum, PATIENCE).toMatchObject({ waiting: 11 });
    writer.replace(); // the next writer does not know the service

    await expect.poll(sum, PATIENCE).toEqual({ emitted: 11, delivered: 0, waiting: 10, dropped: 1 });
    expect(logged.join('')).toContain('left in its spool');
    output.isBroken = false;
    writer.heard(unit, unit.open([settings], 'three', 3));
    await expect.poll(() => ids(lines), PATIENCE).toEqual(upTo(10));
    await expect.poll(sum, PATIENCE).toEqual({ emitted: 11, delivered: 10, waiting: 0, dropped: 1 });
  });
});
