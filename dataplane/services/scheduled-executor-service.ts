import { z } from 'zod';
import { duration, flag, integer } from '../../contract/vocabulary/configured.ts';
import { noEffect } from '../../contract/vocabulary/field-notes.ts';
import { defineService } from '../heap/definition.ts';
import { TimerExecutor } from './timer-executor.ts';

/** Runs tasks of other objects later, once or again and again. */
export const scheduledExecutorService = defineService({
  type: 'ScheduledExecutorService',
  kind: 'executor',
  summary:
    'Runs tasks of other objects after a delay, once or repeatedly. When it is closed it starts no more tasks; ' +
    'running tasks may finish within the grace period. Every configuration has one named ' +
    '`ScheduledExecutorService`.',
  config: z.strictObject({
    corePoolSize: noEffect(
      integer({ min: 1 }),
      'there is no pool of threads, each unit of the gateway runs its tasks in its own event loop',
    ).describe('Number of threads to keep.'),
    gracefulStop: flag().default(true).describe('Whether closing waits for tasks that run.'),
    gracePeriod: duration({ zero: true, unlimited: true })
      .prefault('10 seconds')
      .describe('How long closing waits for tasks that run, if `gracefulStop` is true.'),
  }),
  examples: [{ title: 'Wait at most three seconds for running tasks', config: { gracePeriod: '3 seconds' } }],
  create({ gracefulStop, gracePeriod }, { log, onClose }) {
    const executor = new TimerExecutor((error) => log.error({ err: error }, 'scheduled task failed'));
    onClose(async () => {
      const left = await executor.close(gracefulStop ? gracePeriod.milliseconds : 0);
      if (left > 0) log.warn({ tasks: left }, 'executor closed while tasks were still running');
    });
    return executor;
  },
});
