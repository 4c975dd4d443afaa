import { expect, it } from 'vitest';
import { PacedWrites } from '../../../../controller/cluster/api/paced-writes.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

/** Writes that take until they are told to end. */
class Setting {
  readonly clock = new ManualClock();
  readonly begun: string[] = [];
  private readonly running: ((again: number | null) => void)[] = [];
  readonly writes: PacedWrites;

  constructor(concurrency: number) {
    this.writes = new PacedWrites({
      clock: this.clock,
      gap: 500,
      concurrency,
      write: (key) => {
        this.begun.push(key);
        return new Promise((resolve) => this.running.push(resolve));
      },
    });
  }

  get underWay(): number {
    return this.running.length;
  }

  /** Ends all writes that are under way, and lets the next begin. */
  async finish(): Promise<void> {
    for (const end of this.running.splice(0)) end(null);
    await this.clock.pass(0);
  }
}

const many = Array.from({ length: 1000 }, (_, at) => `old-${at}`);

it('writes the newest request first, and starves none', async () => {
  const setting = new Setting(6);
  for (const key of many) setting.writes.ask(key);
  const first = setting.begun.length;
  setting.writes.ask('newest');
  await setting.finish();
  expect(setting.begun.slice(first, first + 2)).toContain('newest');
  for (let round = 0; round < 20; round++) {
    for (let at = 0; at < 6; at++) setting.writes.ask(`later-${round}-${at}`);
    await setting.finish();
  }
  expect(setting.begun.filter((key) => key.startsWith('old-')).length).toBeGreaterThan(first + 10);
});

it('writes urgent requests before all others', async () => {
  const setting = new Setting(6);
  setting.writes.ask('busy');
  setting.writes.ask('busier');
  setting.writes.ask('waits');
  setting.writes.ask('urgent', 0, true);
  setting.writes.ask('waits', 0, true);
  for (const key of many) setting.writes.ask(key);
  await setting.finish();
  expect(setting.begun.slice(2, 4).toSorted()).toEqual(['urgent', 'waits']);
  for (let round = 0; round < 1000 && setting.underWay > 0; round++) await setting.finish();
  expect(setting.begun.toSorted()).toEqual([...many, 'busy', 'busier', 'urgent', 'waits'].toSorted());
});

it('increases concurrency while writes succeed, up to its limit, and reduces it while the server is busy', async () => {
  const setting = new Setting(24);
  for (const key of many) setting.writes.ask(key);
  expect(setting.underWay).toBe(8);
  for (let round = 0; round < 30; round++) await setting.finish();
  expect(setting.underWay).toBe(24);
  for (let times = 0; times < 9; times++) setting.writes.slowDown();
  await setting.finish();
  expect(setting.underWay).toBeLessThan(12);
});
