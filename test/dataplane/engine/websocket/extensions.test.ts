import { describe, expect, it } from 'vitest';
import { isOffered, readExtensions, reservedBits } from '../../../../dataplane/engine/websocket/extensions.ts';

const namesIn = (value: string): readonly string[] | undefined => readExtensions(value)?.map(({ name }) => name);

describe('a list of extensions', () => {
  it.each([
    ['permessage-deflate; client_max_window_bits, x', ['permessage-deflate', 'x']],
    ['x; y="a, b; \\" c", z', ['x', 'z']],
    [' , x ,, ', ['x']],
    ['Permessage-Deflate', ['permessage-deflate']],
  ])('%s has names', (value, names) => {
    expect(namesIn(value)).toEqual(names);
  });

  it.each(['x; y="', 'x; y="a\\"', 'permessage-deflate"', '"x"', 'a b', 'x; y="\\'])('%s is malformed', (value) => {
    expect(readExtensions(value)).toBeNull();
  });

  it('is read in a time that grows with its length only', () => {
    // whoever looks for the end of every quotation anew takes minutes for this
    expect(readExtensions(`"${'\\"'.repeat(200_000)}`)).toBeNull();
  });

  it('names compression in any case', () => {
    const [extension] = readExtensions('PerMessage-Deflate')!;
    expect(isOffered(extension!, { perMessage: false, perFrame: true })).toBe(false);
    expect(reservedBits([extension!])).toEqual({ first: 0x40, later: 0, control: 0, opcodes: false });
  });
});
