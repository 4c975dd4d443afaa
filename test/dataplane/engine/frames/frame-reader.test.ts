import { describe, expect, it } from 'vitest';
import { FrameReader, type FrameReceiver } from '../../../../dataplane/engine/frames/frame-reader.ts';
import { ERROR, FLAG, FRAME, FRAME_HEADER, writeFrameHeader } from '../../../../dataplane/engine/frames/frames.ts';

/** A frame as bytes. */
function frame(type: number, flags: number, stream: number, payload: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(FRAME_HEADER);
  writeFrameHeader(head, 0, bytes.length, type, flags, stream);
  return Buffer.concat([head, bytes]);
}

/** Feeds bytes in pieces of a size. @returns what was heard, pieces of one DATA frame joined. */
function heard(bytes: Buffer, size: number, frameSize = 16_384): string[] {
  const events: string[] = [];
  let data = '';
  const receiver: FrameReceiver = {
    frame: (type, flags, stream, from, start, end) =>
      void events.push(`frame ${type} ${flags} ${stream} ${from.latin1Slice(start, end)}`),
    dataBegins: (stream, flags, length) => void events.push(`data ${stream} ${flags} ${length}`),
    dataBytes: (_stream, from, start, end) => void (data += from.latin1Slice(start, end)),
    dataEnds(stream) {
      events.push(`end ${stream} ${data}`);
      data = '';
    },
    brokenFrame: (code) => void events.push(`broken ${code}`),
  };
  const reader = new FrameReader(receiver, frameSize);
  for (let at = 0; at < bytes.length; at += size) reader.receive(bytes, at, Math.min(bytes.length, at + size));
  return events;
}

const padded = (length: number, text: string): Buffer =>
  Buffer.concat([Buffer.from([length]), Buffer.from(text), Buffer.alloc(length)]);

describe.each([1 << 20, 1, 2, 5, 9, 13])('in pieces of %i', (size) => {
  it('reads frames of all kinds', () => {
    const bytes = Buffer.concat([
      frame(FRAME.SETTINGS, 0, 0),
      frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, 'block'),
      frame(FRAME.DATA, 0, 1, 'hello'),
      frame(FRAME.DATA, 0, 1),
      frame(FRAME.DATA, FLAG.PADDED, 1, padded(3, 'pad')),
      frame(FRAME.DATA, FLAG.PADDED, 1, padded(4, '')),
      frame(FRAME.DATA, FLAG.PADDED | FLAG.END_STREAM, 1, padded(0, '')),
      frame(77, 255, 0x7fff_ffff, 'unknown'),
      frame(FRAME.PING, 0, 0, '12345678'),
    ]);
    expect(heard(bytes, size)).toEqual([
      'frame 4 0 0 ',
      'frame 1 4 1 block',
      'data 1 0 5',
      'end 1 hello',
      'data 1 0 0',
      'end 1 ',
      'data 1 8 7',
      'end 1 pad',
      'data 1 8 5',
      'end 1 ',
      'data 1 9 1',
      'end 1 ',
      'frame 77 255 2147483647 unknown',
      'frame 6 0 0 12345678',
    ]);
  });

  it.each<[string, Buffer, number]>([
    ['a frame that is too long', frame(FRAME.HEADERS, 0, 1, 'x'.repeat(101)), ERROR.FRAME_SIZE_ERROR],
    ['data that is too long', frame(FRAME.DATA, 0, 1, 'x'.repeat(101)), ERROR.FRAME_SIZE_ERROR],
    ['data on stream 0', frame(FRAME.DATA, 0, 0, 'x'), ERROR.PROTOCOL_ERROR],
    ['padding without its length', frame(FRAME.DATA, FLAG.PADDED, 1), ERROR.FRAME_SIZE_ERROR],
    ['padding beyond the frame', frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.from([5, 1, 2])), ERROR.PROTOCOL_ERROR],
  ])('rejects %s and reads no further frames', (_what, bytes, code) => {
    const events = heard(Buffer.concat([bytes, frame(FRAME.PING, 0, 0, '12345678')]), size, 100);
    expect(events.at(-1)).toBe(`broken ${code}`);
    expect(events.filter((event) => event.startsWith('frame'))).toEqual([]);
  });
});

it('reads no further frames after it was stopped', () => {
  const events: number[] = [];
  const reader: FrameReader = new FrameReader(
    {
      frame(type) {
        events.push(type);
        reader.stop();
      },
      dataBegins() {},
      dataBytes() {},
      dataEnds() {},
      brokenFrame() {},
    },
    16_384,
  );
  const bytes = Buffer.concat([frame(FRAME.SETTINGS, 0, 0), frame(FRAME.PING, 0, 0, '12345678')]);
  reader.receive(bytes, 0, bytes.length);
  reader.receive(bytes, 0, bytes.length);
  expect(events).toEqual([FRAME.SETTINGS]);
});
