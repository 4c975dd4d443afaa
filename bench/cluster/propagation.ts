import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { PlaneProbe } from './plane-probe.ts';
import type { RoutesClient } from './routes-client.ts';

/** A Route as people write them: a condition, a filter and an answer that tells its version. */
export function route(at: number | string, version: number): readonly [name: string, spec: object] {
  return [
    `r${at}`,
    {
      condition: `\${find(request.uri.path, '^/r${at}/')}`,
      handler: {
        type: 'Chain',
        config: {
          filters: [{ type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Bench': [`${at}`] } } }],
          handler: { type: 'StaticResponseHandler', config: { status: 200, entity: `version ${version}` } },
        },
      },
    },
  ];
}

/** The value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function spread(values: readonly number[]): string {
  const at = (share: number): string => quantile(values, share).toFixed(1);
  return `p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)} ms`;
}

/**
 * Milliseconds until every plane answers by a change, from when the API server has accepted it; new Routes and edits.
 *
 * @param from the moment that counts: on a busy machine a client may hear of the acceptance after planes have the change
 */
export async function propagation(
  client: RoutesClient,
  probes: readonly PlaneProbe[],
  count: number,
  size: number,
  from: 'acceptance' | 'sending' = 'acceptance',
): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const isNew = i % 2 === 0;
    const at = isNew ? `new${i}x${randomBytes(3).toString('hex')}` : (i * 37) % size;
    const [name, spec] = route(at, i + 1);
    const sent = performance.now();
    const accepted = client.apply(name, spec);
    const seen = Promise.all(
      probes.map((probe) => probe.until(`/r${at}/`, (answer) => answer === `200 version ${i + 1}`)),
    );
    const begun = from === 'sending' ? sent : await accepted;
    times.push(Math.max(0, Math.max(...(await seen)) - begun));
    await accepted;
    await pause(60 + Math.random() * 40); // so that the leading edge is what is measured
  }
  return times;
}
