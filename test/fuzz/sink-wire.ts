import { SLACK } from '../../dataplane/engine/wire/bytes.ts';
import { REFUSED, type Wire, type WireOwner } from '../../dataplane/engine/wire/wire.ts';

const owner: WireOwner = {
  receive() {},
  ended() {},
  failed() {},
  blocked() {},
  drained() {},
  passes: () => REFUSED,
};

/** A wire that leads nowhere: for reading without sockets. */
export function sinkWire(): Wire {
  const nowhere = { address: '', port: 0 };
  return {
    owner,
    regionStart: 0,
    regionLength: 0,
    queued: 0,
    pending: false,
    unsent: 0,
    bulk: false,
    send() {},
    sendDirect: () => REFUSED,
    pause() {},
    resume() {},
    end() {},
    destroy() {},
    reset() {},
    remote: () => nowhere,
    local: () => nowhere,
  };
}

const LARGEST = 32_768;
const arena = Buffer.alloc(LARGEST + 2 * SLACK);

/**
 * Gives a piece to a reader the way a turn does: in bytes that are reused afterwards, with a 0 behind them and behind
 * that whatever was there before, which must not matter.
 */
export function giveTo(
  receive: (bytes: Buffer, start: number, end: number) => void,
  piece: string,
  litter: string,
): void {
  for (let at = 0; at < piece.length; at += LARGEST) {
    const part = piece.slice(at, at + LARGEST);
    const start = part.length & 7;
    arena.latin1Write(litter, 0);
    arena.latin1Write(part, start);
    arena.latin1Write(litter, start + part.length);
    arena[start + part.length] = 0;
    receive(arena, start, start + part.length);
    arena.fill(0x58, start, start + part.length);
  }
}

/** What stands around the bytes: things that would change the meaning if they were read. */
export const LITTER = ['\0\0\0\0\0\0\0\0', '\0\r\n\r\nGET', '\0xxxxxxx', '\0: 1\r\n\r'];
