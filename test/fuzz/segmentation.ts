import type { Random } from './random.ts';

/** Where a stream is cut: offsets in rising order, without 0 and the length. */
export type Cuts = readonly number[];

export const WHOLE: Cuts = [];

/** A cut after every byte. */
export function everyByte(length: number): Cuts {
  return Array.from({ length: Math.max(0, length - 1) }, (_, i) => i + 1);
}

/** A few cuts anywhere, some of them where lines end: that is where readers change their mind. */
export function randomCuts(random: Random, stream: string, most: number): Cuts {
  const cuts = new Set<number>();
  for (let i = random.between(1, most); i > 0; i--) {
    let at = random.below(stream.length + 1);
    if (random.once(2)) {
      const line = stream.indexOf('\n', at);
      if (line >= 0) at = line + random.between(-1, 2);
    }
    if (at > 0 && at < stream.length) cuts.add(at);
  }
  return [...cuts].sort((a, b) => a - b);
}

/** The pieces between the cuts. */
export function pieces(stream: string, cuts: Cuts): string[] {
  const bounds = [...cuts.filter((cut) => cut < stream.length), stream.length];
  return bounds.map((to, i) => stream.slice(i === 0 ? 0 : bounds[i - 1], to)).filter((piece) => piece !== '');
}
