import { onTestFinished } from 'vitest';
import { builtSink, type OpenedSink, type SinkWish } from './built-sink.ts';

/** The sink of a handler, from its configuration as documents have it. It is closed when the test ends. */
export async function openSink(wish: SinkWish): Promise<OpenedSink> {
  const opened = await builtSink(wish);
  onTestFinished(() => opened.sink.close());
  return opened;
}
