import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { arrived, awaiting, closed, keep, putText, readBuffer, wake } from '../../../../dataplane/engine/wire/turn.ts';
import type { Wire } from '../../../../dataplane/engine/wire/wire.ts';

const DECIDED_AT_ONCE = 16;

/** A wire that writes down what its owner hears and what is sent on it. */
function recorded(heard: string[], answer: (text: string, wire: Wire, again: () => string) => void = () => {}): Wire {
  const wire = {
    ...{ queued: 0, regionStart: 0, regionLength: 0 },
    send: (bytes: Buffer, start: number, length: number) =>
      heard.push(`sent ${bytes.toString('latin1', start, start + length)}`),
    owner: {
      receive(bytes: Buffer, start: number, end: number) {
        const text = (): string => bytes.toString('latin1', start, end);
        heard.push(text());
        answer(text(), wire, text);
      },
      ended: () => heard.push('ended'),
      failed: () => heard.push('failed'),
    },
  } as unknown as Wire;
  return wire;
}

function read(wire: Wire, text: string): void {
  arrived(wire, readBuffer.latin1Write(text, 0));
}

describe('arrived', () => {
  beforeEach(async () => {
    const nobody = recorded([]);
    closed(nobody, false);
    closed(nobody, false); // two in one turn, so that reads are no longer thought to come alone
    await turn();
  });

  it('decides reads that come together in one turn, in their order', async () => {
    const heard: string[] = [];
    const wires = [recorded(heard), recorded(heard)];
    for (const text of ['a', 'b', 'c', 'd']) read(wires[heard.length % 2]!, text);
    expect(heard).toEqual([]);
    await turn();
    expect(heard).toEqual(['a', 'b', 'c', 'd']);
    read(wires[0]!, 'e');
    expect(heard).not.toContain('e');
    await turn();
    expect(heard).toContain('e');
  });

  it('decides a read at once after a turn that had but one, and looks at a whole turn again after a few', async () => {
    const heard: string[] = [];
    const wire = recorded(heard, (text, on) => putText(on, `${text}!`));
    read(wire, 'first');
    expect(heard).toEqual([]);
    await turn();
    expect(heard).toEqual(['first', 'sent first!']);
    for (let i = 0; i < DECIDED_AT_ONCE; i++) {
      read(wire, `${i}`);
      expect(heard.slice(-2)).toEqual([`${i}`, `sent ${i}!`]);
    }
    const before = heard.length;
    read(wire, 'looked at');
    read(wire, 'with another');
    expect(heard).toHaveLength(before);
    await turn();
    expect(heard.slice(before, before + 2)).toEqual(['looked at', 'with another']);
    read(wire, 'next');
    expect(heard).not.toContain('next');
  });

  it('decides what waits before a read, and what comes while one is decided after it', async () => {
    const heard: string[] = [];
    const other = recorded(heard);
    const wire = recorded(heard, (text, _, again) => {
      if (text !== 'outer') return;
      read(other, 'inner');
      heard.push(`still ${again()}`);
    });
    read(wire, 'alone');
    await turn();
    closed(other, false);
    read(wire, 'after the end');
    expect(heard).toEqual(['alone']);
    await turn();
    expect(heard).toEqual(['alone', 'ended', 'after the end']);

    read(wire, 'alone');
    await turn();
    read(wire, 'outer');
    expect(heard.slice(-3)).toEqual(['outer', 'still outer', 'inner']);
  });

  it('sends what promises write with the read that settles them, and keeps its bytes until then', async () => {
    const heard: string[] = [];
    const kept = { retain: () => heard.push('kept') };
    const wire = recorded(heard, (text, on) => {
      if (text !== 'asked') return;
      awaiting();
      keep(kept);
      void Promise.resolve().then(() => putText(on, 'later'));
    });
    read(wire, 'alone');
    await turn();
    await new Promise<void>((resolve) => {
      queueMicrotask(() => {
        read(wire, 'asked');
        expect(heard).toEqual(['alone', 'asked']);
        resolve();
      });
    });
    await turn();
    expect(heard).toEqual(['alone', 'asked', 'kept', 'sent later']);
  });

  it('keeps what asks for it while something else is kept or goes out', async () => {
    const heard: string[] = [];
    const last = { retain: () => heard.push('last') };
    const inner = { retain: () => heard.push('inner') };
    const outer = {
      retain: () => {
        heard.push('outer');
        keep(inner);
      },
    };
    const wire = recorded(heard, (text, on) => {
      if (text !== 'asked') return;
      keep(outer);
      putText(on, 'answer');
    });
    const send = wire.send.bind(wire);
    wire.send = (bytes, start, length) => {
      send(bytes, start, length);
      keep(last);
      wake();
    };
    read(wire, 'alone');
    await turn();
    read(wire, 'asked');
    expect(heard).toEqual(['alone', 'asked', 'outer', 'inner', 'sent answer']);
    await turn();
    expect(heard.slice(-1)).toEqual(['last']);
  });
});
