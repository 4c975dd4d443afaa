import type { MessagePort } from 'node:worker_threads';
import type { TakeMemory } from '../heap/shared-memory.ts';
import { backendTraffic } from './backend-traffic.ts';
import type { UnitOptions } from './unit-messages.ts';
import type { UnitTraffic } from './unit-traffic.ts';

/** Starts what a unit serves. @throws Error that says what of `admin.json` cannot be built. */
export async function createTraffic(
  options: Pick<UnitOptions, 'serving' | 'connectors' | 'slots' | 'logLevel' | 'unit'>,
  port: MessagePort,
  memory: TakeMemory,
): Promise<UnitTraffic> {
  const { serving, connectors, slots, logLevel, unit } = options;
  if (serving.kind === 'backend') return backendTraffic(serving);
  // Loaded here and not at the top, so that a unit with one backend need not wait for all types of objects.
  const { configuredTraffic } = await import('./configured-traffic.ts');
  return configuredTraffic(serving, connectors, slots, logLevel, port, memory, unit);
}
