import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { errorText } from '../../platform/error-text.ts';
import { namedMemory, type SharedMemory, type TakeMemory } from '../heap/shared-memory.ts';
import { UnitLives } from '../heap/unit-lives.ts';

/**
 * Link over which a unit requests memory from its supervisor. Units build objects synchronously, so the answer must
 * not need a turn.
 */
export interface MemoryLink {
  readonly port: MessagePort;
  /** Counts the answers; a unit waits for it to change. */
  readonly answers: SharedArrayBuffer;
}

/** What a unit holds. */
export interface LentMemory {
  readonly take: TakeMemory;
  /** Gives all of it back. */
  release(): void;
}

interface Ask {
  readonly kind: 'take' | 'give-back';
  readonly name: string;
  readonly bytes: number;
}

interface Reply {
  readonly name: string;
  readonly bytes: number;
  /** The memory, or why there is none. */
  readonly memory: SharedArrayBuffer | string;
}

/** How long a unit waits for an answer, in milliseconds: a supervisor that is busy with a scrape or a log answers late. */
const PATIENCE = 10_000;

/** The memory that the units of a plane share. What a unit holds is given back when it ends, however it ends. */
export class PlaneMemory {
  private readonly take = namedMemory();
  private readonly lives = new UnitLives(this.take(UnitLives.memory.name, UnitLives.memory.bytes).buffer);

  /** For a unit that is about to start; the port has to be transferred to it. */
  link(): MemoryLink {
    const { port1: own, port2: port } = new MessageChannel();
    const answers = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const held = new Map<string, SharedMemory>();
    own.on('message', ({ kind, name, bytes }: Ask) => {
      const key = `${bytes} ${name}`;
      if (kind === 'take') own.postMessage({ name, bytes, memory: this.lend(held, key, name, bytes) } satisfies Reply);
      else {
        held.get(key)?.release();
        held.delete(key);
        return;
      }
      const count = new Int32Array(answers);
      Atomics.add(count, 0, 1);
      Atomics.notify(count, 0);
    });
    own.on('close', () => {
      for (const memory of held.values()) memory.release();
      held.clear();
    });
    own.unref();
    return { port, answers };
  }

  /** For a unit in this thread, which takes memory without a link. */
  lent(): LentMemory {
    const held = new Set<SharedMemory>();
    return {
      take: (name, bytes) => {
        const memory = this.take(name, bytes);
        held.add(memory);
        return {
          buffer: memory.buffer,
          release() {
            held.delete(memory);
            memory.release();
          },
        };
      },
      release() {
        for (const memory of held) memory.release();
        held.clear();
      },
    };
  }

  /** A unit is gone, and none of its number has started since. */
  ended(unit: number): void {
    this.lives.ended(unit);
  }

  private lend(held: Map<string, SharedMemory>, key: string, name: string, bytes: number): SharedArrayBuffer | string {
    try {
      const memory = held.get(key) ?? this.take(name, bytes);
      held.set(key, memory);
      return memory.buffer;
    } catch (error) {
      return errorText(error); // more than there is: the object is not built
    }
  }
}

/** The unit's side: takes memory of the plane, and waits for it. @throws when there is none. */
export function linkedMemory({ port, answers }: MemoryLink): TakeMemory {
  const tell = (ask: Ask): void => port.postMessage(ask);
  const count = new Int32Array(answers);

  function ask(name: string, bytes: number): SharedArrayBuffer {
    tell({ kind: 'take', name, bytes });
    for (;;) {
      const seen = Atomics.load(count, 0);
      const reply = receiveMessageOnPort(port)?.message as Reply | undefined;
      if (reply === undefined) {
        if (Atomics.wait(count, 0, seen, PATIENCE) === 'timed-out')
          throw new Error('the supervisor did not provide shared memory');
      } else if (reply.name === name && reply.bytes === bytes) {
        if (typeof reply.memory === 'string') throw new Error(`the data plane has no memory for it: ${reply.memory}`);
        return reply.memory;
      }
    }
  }

  return namedMemory(ask, (name, bytes) => tell({ kind: 'give-back', name, bytes }));
}
