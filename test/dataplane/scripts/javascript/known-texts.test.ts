import { expect, it } from 'vitest';
import { KnownTexts } from '../../../../dataplane/scripts/javascript/known-texts.ts';

it('reads the text that is in the memory now', () => {
  const texts = new KnownTexts();
  const memory = Buffer.alloc(4096);
  for (const text of ['User-Agent', 'User-Agent', 'User-agent', 'User', '', 'gäteward', 'x'.repeat(100)]) {
    memory.write(text, 64, 'latin1');
    expect(texts.read(memory, 64, text.length)).toBe(text);
  }
});

it('reads texts whose places are kept together', () => {
  const texts = new KnownTexts();
  const memory = Buffer.alloc(4096);
  memory.write('first', 0, 'latin1');
  memory.write('other', 1024, 'latin1');
  for (let turn = 0; turn < 3; turn++) {
    expect(texts.read(memory, 0, 5)).toBe('first');
    expect(texts.read(memory, 1024, 5)).toBe('other');
  }
});
