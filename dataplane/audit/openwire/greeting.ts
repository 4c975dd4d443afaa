import { MAGIC } from './commands.ts';
import { FrameReader, MalformedFrame } from './frame-reader.ts';
import { type Primitive, readPrimitives } from './primitive-map.ts';

/** Oldest version of OpenWire whose messages have the fields that we write: ActiveMQ 5.10 speaks it. */
const OLDEST_VERSION = 10;

/** Times of both sides, in milliseconds. */
export interface Silence {
  /** How long either side may be silent; 0 for any time. */
  readonly silence: number;
  /** How long silence is not judged after the greeting. */
  readonly initialDelay: number;
}

/** What both sides agreed on. */
export interface Agreement extends Silence {
  /** Largest frame that the broker accepts, in bytes. */
  readonly maxFrame: number;
}

/** Reads the greeting of a broker after its type. The smaller of two times counts. @throws MalformedFrame */
export function readGreeting(reader: FrameReader, own: Silence): Agreement {
  if (reader.raw(MAGIC.length).toString('latin1') !== MAGIC) {
    throw new MalformedFrame('the other side does not speak OpenWire');
  }
  const version = reader.int();
  if (version < OLDEST_VERSION) {
    throw new MalformedFrame(`the broker speaks OpenWire ${version}; it must speak ${OLDEST_VERSION} (ActiveMQ 5.10)`);
  }
  const block = reader.block();
  const properties = block === null ? new Map<string, Primitive>() : readPrimitives(new FrameReader(block));
  return {
    silence: Math.min(numberIn(properties.get('MaxInactivityDuration')) ?? 0, own.silence),
    initialDelay: Math.min(numberIn(properties.get('MaxInactivityDurationInitalDelay')) ?? 0, own.initialDelay),
    maxFrame: numberIn(properties.get('MaxFrameSize')) ?? Number.POSITIVE_INFINITY,
  };
}

function numberIn(value: Primitive | undefined): number | null {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : null;
}
