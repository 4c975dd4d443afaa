import type { StrictBackend, StrictRequest } from '../backends/strict-backend.ts';
import { parseAnswers, type RawAnswer, RawClient } from './raw-client.ts';
import type { RequestVector } from './vectors.ts';

/** What became of a row. */
export interface SentVector {
  readonly upstream: readonly StrictRequest[];
  readonly answers: readonly RawAnswer[];
}

/** Sends a row in pieces of `size` bytes to a gateway, says that nothing more comes, and reads to the end. */
export async function sendVector(
  vector: RequestVector,
  port: number,
  backend: StrictBackend,
  size = vector.bytes.length,
): Promise<SentVector> {
  const before = backend.requests.length;
  const client = await RawClient.connect(port);
  for (let at = 0; at < vector.bytes.length; at += size) {
    client.send(vector.bytes.subarray(at, at + size));
    if (size < vector.bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
  client.finish();
  const text = await client.untilClosed();
  client.destroy();
  const upstream = backend.requests.slice(before);
  const heads = upstream.map((request) => request.method === 'HEAD');
  return { upstream, answers: parseAnswers(text, heads) };
}
