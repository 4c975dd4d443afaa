import type { Logger } from 'pino';
import type { Reach } from '../../contract/reach.ts';
import { connectWire } from '../engine/wire/connect.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import { namedMemory } from '../heap/shared-memory.ts';

/** Services for objects that stand in front of an admin port, and in no unit. */
export function adminServices(reach: Reach, log: Logger): PlaneServices {
  return {
    reach,
    log,
    observe() {},
    count() {},
    counter: () => () => {},
    gauge: () => () => {},
    sharedMemory: namedMemory(),
    mayReach: () => true,
    connect: connectWire,
    streaming: true,
  };
}
