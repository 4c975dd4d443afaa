import { BucketMemory, DIGEST_WORDS, HEADER, WORD } from '../../../dataplane/throttling/bucket-memory.ts';

const BUCKET_WORDS = 16;

/** What is wrong with a table that nobody uses at the moment; empty when every bucket is in one place. */
export function unsoundness(buffer: SharedArrayBuffer, maximum: number): string[] {
  const { header, index, words } = new BucketMemory(buffer, maximum);
  const mask = index.length - 1;
  const found: string[] = [];
  const indexed = new Set<number>();
  const digests = new Set<string>();
  index.forEach((entry, at) => {
    if (entry === 0) return;
    const bucket = entry - 1;
    if (indexed.has(bucket)) found.push(`bucket ${bucket} is in the index twice`);
    indexed.add(bucket);
    const from = bucket * BUCKET_WORDS + WORD.digest;
    const digest = words.slice(from, from + DIGEST_WORDS);
    if (digests.has(String(digest))) found.push(`two buckets have the key of bucket ${bucket}`);
    digests.add(String(digest));
    for (let step = digest[0]! & mask; step !== at; step = (step + 1) & mask) {
      if (index[step] === 0) found.push(`bucket ${bucket} cannot be found`);
    }
  });
  const free = new Set<number>();
  for (let next = header[HEADER.free]!; next !== 0; next = words[(next - 1) * BUCKET_WORDS + WORD.digest]!) {
    if (free.has(next - 1) || indexed.has(next - 1)) return [...found, `bucket ${next - 1} is free and is not`];
    free.add(next - 1);
  }
  if (indexed.size !== header[HEADER.live]) found.push(`${indexed.size} buckets are live, not ${header[HEADER.live]}`);
  if (indexed.size + free.size !== header[HEADER.made]) found.push('a bucket is nowhere');
  return found;
}
