import { Pieces } from '../wire/pieces.ts';
import type { Body } from './body.ts';
import { EntityBroken } from './entity-fault.ts';

/** Bytes that may wait for whoever pulls. */
const MOST_WAITING = 65_536;

/** Turns pushes into pulls; when many bytes wait, the source does too. The body is claimed at once. */
export function chunksOf(body: Body, ofResponse: boolean): AsyncGenerator<Buffer, void, void> {
  const waiting = new Pieces();
  let over = false;
  let broken = false;
  let wake: (() => void) | null = null;
  const changed = (): void => {
    wake?.();
    wake = null;
  };
  body.pipe({
    bodyData(bytes, start, end) {
      waiting.add(bytes, start, end);
      if (waiting.length > MOST_WAITING) body.pause();
      changed();
    },
    bodyEnd() {
      over = true;
      changed();
    },
    bodyFailed() {
      over = broken = true;
      changed();
    },
  });
  async function* pulled(): AsyncGenerator<Buffer, void, void> {
    try {
      for (;;) {
        const chunk = waiting.shift();
        if (chunk !== undefined) {
          if (waiting.length === 0) body.resume();
          yield chunk;
        } else if (broken) throw new EntityBroken(ofResponse);
        else if (over) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      if (!body.complete) body.abandon();
    }
  }
  return pulled();
}
