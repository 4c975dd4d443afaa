import { SLACK } from '../wire/bytes.ts';
import { LINE } from './header-ranges.ts';

/** Retained heads up to this size share a free list, so that a suspended exchange costs a copy and no allocation. */
const BLOCK_BYTES = 4096;
const BLOCK_LINES = 100;
const MOST_BLOCKS = 1024;

/** Room for the bytes and the ranges of one head. */
export interface HeadBlock {
  readonly bytes: Buffer;
  readonly table: Int32Array;
}

const blocks: HeadBlock[] = [];

/** A block for a head of so many bytes and lines. */
export function takeHeadBlock(length: number, lines: number): HeadBlock {
  const small = length + SLACK <= BLOCK_BYTES && lines <= BLOCK_LINES;
  return (
    (small ? blocks.pop() : undefined) ?? {
      bytes: Buffer.allocUnsafeSlow(small ? BLOCK_BYTES : length + SLACK),
      table: new Int32Array(LINE * (small ? BLOCK_LINES : lines)),
    }
  );
}

/** The head is not needed any more. */
export function giveHeadBlock(block: HeadBlock): void {
  if (block.bytes.length === BLOCK_BYTES && blocks.length < MOST_BLOCKS) blocks.push(block);
}
