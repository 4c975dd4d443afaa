import { describe, expect, it, vi } from 'vitest';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { buildObject } from '../../support/gateways/built-object.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';

describe('ScheduledExecutorService', () => {
  it('runs a task once, after its delay', async () => {
    const { object: executor } = buildObject('executor', 'ScheduledExecutorService');
    const started = performance.now();
    const after = await new Promise<number>((resolve) => {
      executor.schedule(() => resolve(performance.now() - started), 20);
    });
    expect(after).toBeGreaterThanOrEqual(19);
  });

  it('repeats a task, never two at a time, and continues after a failure', async () => {
    const { object: executor, logged } = buildObject('executor', 'ScheduledExecutorService');
    let runs = 0;
    let running = 0;
    const stop = executor.repeat(async () => {
      expect(++running).toBe(1);
      await new Promise<void>((resolve) => setImmediate(resolve));
      running--;
      if (++runs === 2) throw new Error('once');
    }, 1);
    await untilTrue(() => runs >= 4);
    stop();
    expect(logged.map(({ msg }) => msg)).toEqual(['scheduled task failed']);
  });

  it('cancels tasks that have not started', async () => {
    const { object: executor } = buildObject('executor', 'ScheduledExecutorService');
    const ran: string[] = [];
    executor.schedule(() => void ran.push('cancelled'), 5)();
    const stop = executor.repeat(() => void ran.push('repeated'), 5);
    stop();
    await new Promise<void>((resolve) => executor.schedule(resolve, 15));
    expect(ran).toEqual([]);
  });

  it('logs a task that throws at once', async () => {
    const { object: executor, logged } = buildObject('executor', 'ScheduledExecutorService');
    executor.schedule(() => {
      throw new Error('at once');
    }, 0);
    await untilTrue(() => logged.length > 0);
    expect(logged[0]).toMatchObject({ level: 50, err: { message: 'at once' } });
  });

  it('supports delays longer than the maximum of a timer', () => {
    vi.useFakeTimers();
    try {
      const { object: executor } = buildObject('executor', 'ScheduledExecutorService');
      const task = vi.fn();
      const days = 86_400_000;
      executor.schedule(task, 60 * days);
      vi.advanceTimersByTime(59 * days);
      expect(task).not.toHaveBeenCalled();
      vi.advanceTimersByTime(days);
      expect(task).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
  });

  it('starts no task after it is closed, and waits for running ones', async () => {
    const { object: executor, close } = buildObject('executor', 'ScheduledExecutorService');
    const done: string[] = [];
    let finish = (): void => {};
    executor.schedule(async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      done.push('running');
    }, 0);
    executor.schedule(() => void done.push('waiting'), 5);
    await new Promise<void>((resolve) => executor.schedule(resolve, 0));
    const closed = close().then(() => done.push('closed'));
    executor.schedule(() => void done.push('late'), 0);
    finish();
    await closed;
    expect(done).toEqual(['running', 'closed']);
  });

  it.each([{ gracePeriod: '20 ms' }, { gracePeriod: 'zero' }, { gracefulStop: false }])(
    'does not wait for ever with %j',
    async (config) => {
      const { object: executor, close, logged } = buildObject('executor', 'ScheduledExecutorService', config);
      await new Promise<void>((begun) => {
        executor.schedule(() => {
          begun();
          return new Promise<void>(() => {});
        }, 0);
      });
      await close();
      expect(logged).toMatchObject([{ level: 40, tasks: 1 }]);
    },
  );

  it.each([
    [{ corePoolSize: 4 }, 'warning', 'corePoolSize', /has no effect: there is no pool of threads/],
    [{ corePoolSize: 0 }, 'error', 'corePoolSize', /must be at least 1, not 0/],
    [{ gracePeriod: 'soon' }, 'error', 'gracePeriod', /must have a number/],
    [{ gracefulStop: 'maybe' }, 'error', 'gracefulStop', /must be true or false/],
    [{ poolSize: 1 }, 'error', 'poolSize', /there is no field 'poolSize' here/],
  ])('reports for %j: %s', (config, severity, field, message) => {
    const problems = checkConfigured({
      heap: [{ name: 'x', type: 'ScheduledExecutorService', config }],
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    });
    expect(problems).toContainEqual(
      expect.objectContaining({
        severity,
        path: ['heap', 0, 'config', field],
        message: expect.stringMatching(message),
      }),
    );
  });
});
