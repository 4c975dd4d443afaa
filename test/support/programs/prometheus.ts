import { onTestFinished, vi } from 'vitest';
import { installPrograms } from './debian-program.ts';
import { freePort, ServerProgram } from './server-program.ts';

/** One series of an answer: its labels, and its value as text. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

/** A real Prometheus, for the rest of the test. */
export interface Prometheus {
  /** What a query gives now. @throws with what Prometheus says is wrong */
  query(expression: string): Promise<Sample[]>;
  /** The labels of all series that match. */
  series(selector: string): Promise<Readonly<Record<string, string>>[]>;
}

/** Starts one with this configuration. */
export async function startPrometheus(configuration: string): Promise<Prometheus> {
  await installPrograms(['prometheus']);
  const program = new ServerProgram('prometheus');
  onTestFinished(() => program.stop('SIGKILL'));
  const port = await freePort();
  const words = [
    `--config.file=${program.write('prometheus.yml', configuration)}`,
    `--storage.tsdb.path=${program.at('data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=warn',
  ];
  await program.start(words, [port]);

  async function ask<T>(path: string, query: Readonly<Record<string, string>>): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(query)}`);
    const body = (await answer.json()) as { status: string; error?: string; data: T };
    if (body.status !== 'success') throw new Error(`${JSON.stringify(query)}: ${body.error}`);
    return body.data;
  }
  await vi.waitFor(() => ask('status/buildinfo', {}), { timeout: 20_000 });

  interface Vector {
    readonly result: readonly { readonly metric: Record<string, string>; readonly value: readonly [number, string] }[];
  }
  return {
    async query(expression) {
      const { result } = await ask<Vector>('query', { query: expression });
      return result.map(({ metric, value }) => ({ labels: metric, value: value[1] }));
    },
    series: (selector) => ask('series', { 'match[]': selector }),
  };
}
