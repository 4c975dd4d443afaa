/** Where a stream that a filter made is sent. */
export interface StreamSink {
  bodyData(bytes: Buffer, start: number, end: number): void;
  /** The same for bytes that nobody changes afterwards, if the sink can hold them without a copy. */
  bodyLasting?(bytes: Buffer): void;
  bodyEnd(trailers: string): void;
  bodyFailed(): void;
  /** Resolves when what was sent so far has left. */
  whenDrained(): Promise<void>;
}

/** Bytes that may be under way before the stream is asked for more. */
const AHEAD = 65_536;

/** Sends a stream as fast as its reader takes it, as long as anybody still wants it. */
export async function sendStream(
  stream: AsyncIterable<Uint8Array> & { readonly trailers?: string; readonly lasting?: boolean },
  sink: StreamSink,
  wanted: () => boolean,
  report: (error: unknown) => void,
): Promise<void> {
  let ahead = 0;
  try {
    for await (const chunk of stream) {
      if (!wanted()) return;
      if (chunk.length === 0) continue; // an empty chunk would be read as the end
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      if (stream.lasting === true && sink.bodyLasting !== undefined) sink.bodyLasting(bytes);
      else sink.bodyData(bytes, 0, bytes.length);
      ahead += chunk.length;
      if (ahead < AHEAD) continue;
      ahead = 0;
      await sink.whenDrained();
    }
    if (wanted()) sink.bodyEnd(stream.trailers ?? '');
  } catch (error) {
    if (!wanted()) return;
    report(error);
    sink.bodyFailed();
  }
}
