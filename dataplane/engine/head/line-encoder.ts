/** Encoder of lines as HTTP/2 fields; both methods write at `at` and return where they stopped. */
export interface LineEncoder {
  line(
    out: Buffer,
    at: number,
    bytes: Buffer,
    nameStart: number,
    nameEnd: number,
    valueStart: number,
    valueEnd: number,
  ): number;
  text(out: Buffer, at: number, name: string, value: string): number;
}
