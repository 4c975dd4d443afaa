import { randomFillSync } from 'node:crypto';
import { output, reserve, wrote } from '../wire/turn.ts';
import type { Wire } from '../wire/wire.ts';

const mask = Buffer.alloc(4);

/** Writes a Close frame out on a wire. `text` is ASCII and shorter than 124; frames for backends are masked. */
export function putClose(wire: Wire, code: number, text: string, masked: boolean): void {
  const length = 2 + text.length;
  reserve(wire, length + 6);
  const out = output.bytes;
  let at = output.at;
  out[at++] = 0x88;
  out[at++] = masked ? length | 0x80 : length;
  if (masked) at += randomFillSync(mask).copy(out, at);
  else mask.fill(0);
  out[at++] = (code >> 8) ^ mask[0]!;
  out[at++] = (code & 255) ^ mask[1]!;
  for (let i = 0; i < text.length; i++) out[at++] = text.charCodeAt(i) ^ mask[(i + 2) & 3]!;
  wrote(wire, at - output.at);
}
