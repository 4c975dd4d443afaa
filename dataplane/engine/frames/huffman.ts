/**
 * The Huffman code of HPACK (RFC 7541 appendix B). It is canonical: codes are given out by length, then by symbol, so
 * that the lengths say it all. One digit a symbol, base 36.
 */
const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6ca' +
  'd67777777777777777777777878djde6f56565666577666567655677777fbeds' +
  'kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq';

const NO_NODE = -1;
const BROKEN = -1;
/** Padding is the beginning of the longest code, all ones, and shorter than a byte. */
const LONGEST_PADDING = 7;

/** What a byte does in a state: the next state, how many symbols it completes (at most two), and which. */
interface Machine {
  readonly steps: Int32Array;
  /** Where a text may end. */
  readonly final: Uint8Array;
}

let machine: Machine | null = null;

/** Made when the first text is decoded: it takes a quarter of a megabyte. */
function makeMachine(): Machine {
  const tree = codeTree();
  const states = tree.length / 2;
  const steps = new Int32Array(states * 256);
  for (let state = 0; state < states; state++) {
    for (let byte = 0; byte < 256; byte++) steps[state * 256 + byte] = step(tree, state, byte);
  }
  const final = new Uint8Array(states);
  for (let node = 0, depth = 0; depth <= LONGEST_PADDING; depth++, node = tree[2 * node + 1]!) final[node] = 1;
  return { steps, final };
}

/** Two numbers a node: where a zero and a one lead. A leaf is the inverted symbol below `NO_NODE`. */
function codeTree(): number[] {
  const symbols = Array.from({ length: 256 }, (_, symbol) => symbol);
  const lengthOf = (symbol: number): number => Number.parseInt(LENGTHS[symbol]!, 36);
  symbols.sort((a, b) => lengthOf(a) - lengthOf(b) || a - b);
  const tree: number[] = [NO_NODE, NO_NODE];
  let code = 0;
  let length = lengthOf(symbols[0]!);
  for (const symbol of symbols) {
    code *= 2 ** (lengthOf(symbol) - length);
    length = lengthOf(symbol);
    let node = 0;
    for (let bit = length - 1; bit > 0; bit--) {
      const at = 2 * node + ((code >>> bit) & 1);
      if (tree[at] === NO_NODE) {
        tree[at] = tree.length / 2;
        tree.push(NO_NODE, NO_NODE);
      }
      node = tree[at]!;
    }
    tree[2 * node + (code & 1)] = leaf(symbol);
    code++;
  }
  return tree;
}

function leaf(symbol: number): number {
  return NO_NODE - 1 - symbol;
}

/** Eight bits of state, two of count, eight for each symbol. */
function step(tree: readonly number[], state: number, byte: number): number {
  let node = state;
  let count = 0;
  let symbols = 0;
  for (let bit = 7; bit >= 0; bit--) {
    const next = tree[2 * node + ((byte >>> bit) & 1)]!;
    if (next === NO_NODE) return BROKEN;
    if (next >= 0) node = next;
    else {
      symbols |= leaf(next) << (10 + 8 * count);
      count++;
      node = 0;
    }
  }
  return node | (count << 8) | symbols;
}

/** The most bytes that `length` bytes of Huffman code can become: the shortest code has five bits. */
export function mostDecoded(length: number): number {
  return Math.ceil((length * 8) / 5);
}

/** Decodes `bytes[start, end)` to `out` from `at` on. @returns where it stopped, or -1 when it is no Huffman code. */
export function decodeHuffman(bytes: Buffer, start: number, end: number, out: Buffer, at: number): number {
  machine ??= makeMachine();
  const { steps, final } = machine;
  let state = 0;
  for (let p = start; p < end; p++) {
    const found = steps[(state << 8) | bytes[p]!]!;
    if (found === BROKEN) return -1;
    state = found & 255;
    const count = (found >> 8) & 3;
    if (count > 0) {
      out[at++] = (found >> 10) & 255;
      if (count > 1) out[at++] = (found >> 18) & 255;
    }
  }
  return final[state] === 1 ? at : -1;
}
