import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../channel/plane-answers.ts';
import { type ClusterAccess, kubeconfigToken } from './api-server.ts';

/** What a Route showed of itself at one moment. */
export interface ShownStatus {
  readonly resourceVersion: string;
  readonly generation: number;
  /** The generation that it speaks of; 0 for none. */
  readonly observed: number;
  readonly programmed: string;
  /** Reason of each condition, by its type. */
  readonly reasons: Readonly<Record<string, string>>;
}

interface WatchedRoute {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly programmed?: string;
    readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
  };
}

interface WatchLine {
  readonly object: WatchedRoute;
}

/** Every state that the Routes of a namespace were in, one for each write, for the rest of the test. */
export class RecordedStatus {
  private readonly states = new Map<string, ShownStatus[]>();

  private constructor() {}

  static async follow(access: ClusterAccess, namespace: string): Promise<RecordedStatus> {
    const record = new RecordedStatus();
    const agent = new Agent({ connect: { ca: readFileSync(access.caFile) }, bodyTimeout: 0 });
    const url = `${access.server}/apis/gatewarden.io/v1alpha1/namespaces/${namespace}/routes?watch=1`;
    const headers = { authorization: `Bearer ${kubeconfigToken(access.kubeconfig)}` };
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const { body } = await vi.waitFor(async () => {
      const answer = await request(url, { headers, dispatcher: agent, signal: ending.signal });
      if (answer.statusCode === 200) return answer;
      throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
    }, PATIENCE);
    const lines = createInterface(body).on('line', (line) => record.take(JSON.parse(line) as WatchLine));
    for (const emitter of [body, lines]) emitter.on('error', () => {}); // it ends with the test
    return record;
  }

  /** In the order in which they were written. */
  of(route: string): readonly ShownStatus[] {
    return this.states.get(route) ?? [];
  }

  private take({ object: { metadata, status } }: WatchLine): void {
    const { name, resourceVersion, generation } = metadata;
    const { observedGeneration = 0, programmed = '', conditions = [] } = status ?? {};
    const reasons = Object.fromEntries(conditions.map(({ type, reason }) => [type, reason]));
    const states = this.states.get(name) ?? [];
    states.push({ resourceVersion, generation, observed: observedGeneration, programmed, reasons });
    this.states.set(name, states);
  }
}
