/** Content that was put aside whole. It is released after it was sent, or when nobody will send it. */
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
  /** From now on it stays after it was read, and can be read again from its beginning, until `letGo`. */
  hold(): void;
  letGo(): void;
  /** Gives back what it takes up; whoever still reads it fails. */
  release(): void;
}
