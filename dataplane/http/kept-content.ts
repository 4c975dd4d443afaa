/** Content that was put aside whole. It is sent once, as a stream is; then, or when nobody will, it is released. */
export interface KeptContent extends AsyncIterable<Uint8Array> {
  readonly length: number;
  /** The content itself where it is in memory, or null. */
  readonly bytes: Buffer | null;
  /** Whole lines that follow the content, or empty. */
  readonly trailers: string;
  /** Whether nobody changes what was read of it. */
  readonly lasting?: boolean;
  /** Whether somebody has begun to read it. */
  readonly begun: boolean;
  /** Gives back what it takes up; whoever still reads it fails. */
  release(): void;
}
