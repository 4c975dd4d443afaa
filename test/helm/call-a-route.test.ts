import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repositoryRoot } from '../house/source-file.ts';
import { type RoutesApi, type RoutesScript, scriptedRoutesApi } from '../support/cluster/scripted-routes-api.ts';
import { type Outcome, runProgram } from '../support/programs/run-program.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';

const SCRIPT = `${repositoryRoot}/helm/gatewarden/files/call-a-route.mjs`;
const programmed = [{ type: 'Programmed', status: 'True', reason: 'Programmed', message: '' }];

describe('the program of helm test', () => {
  it('makes a Route for the group, calls it, and deletes it', async () => {
    const { outcome, api } = await run({ conditions: programmed }, { plane: (made) => made });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toContain('all groups of planes serve Routes');
    expect(api.made).toMatchObject([
      {
        metadata: { namespace: 'shop' },
        spec: { dataPlanes: { matchLabels: { 'gatewarden.io/group': 'edge' } } },
      },
    ]);
    const route = expect.stringMatching(/shop\/routes\/gatewarden-test-edge-[0-9a-f]{16}$/);
    expect(api.asked.map((line) => line.split(' ')[0])).toEqual(['POST', 'GET', 'DELETE']);
    expect(api.asked.slice(1)).toEqual([route, route]);
  });

  it('does not call a group without a Service', async () => {
    const { outcome } = await run({ conditions: programmed }, { plane: null });
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('it has no Service') });
  });

  it.each<[why: string, script: RoutesScript, settings: Settings, said: string]>([
    [
      'the kinds are missing',
      { create: { status: 404, message: 'not found' } },
      {},
      'the cluster has no kind Route: install the chart gatewarden-crds',
    ],
    [
      'the Route is refused',
      { create: { status: 403, message: 'admission webhook denied the request' } },
      {},
      'the Route cannot be made: admission webhook denied the request',
    ],
    ['nobody judges the Route', {}, {}, 'do controllers run, and do they follow its namespace?'],
    [
      'no data plane matches',
      { conditions: [{ type: 'Programmed', status: 'False', reason: 'NoPlanes', message: 'no data plane matches' }] },
      {},
      'Programmed NoPlanes: no data plane matches',
    ],
    [
      'something else answers',
      { conditions: programmed },
      { plane: () => 'It works!' },
      'does not answer as the Route says: 200 It works!',
    ],
    ['it cannot be tested', {}, { problem: 'no namespace' }, 'FAILED: group edge: no namespace'],
  ])('fails with a message when %s', async (_, script, settings, said) => {
    const { outcome, api } = await run(script, settings);
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
    expect(outcome.stderr).toContain('hint: look at the Pods');
    const isMade = api.made.length > 0 && script.create === undefined;
    expect(api.asked.some((line) => line.startsWith('DELETE '))).toBe(isMade);
  });
});

interface Settings {
  /** What the plane answers, given the text of the Route that was made; null where there is no Service. */
  readonly plane?: ((made: string) => string) | null;
  readonly problem?: string;
}

async function run(
  script: RoutesScript,
  { plane = (made) => made, problem = '' }: Settings,
): Promise<{ readonly outcome: Outcome; readonly api: RoutesApi }> {
  const api = await scriptedRoutesApi(script);
  const { path: folder } = watchedDirectory();
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const text = readFileSync(SCRIPT, 'utf8');
  const account = "'/var/run/secrets/kubernetes.io/serviceaccount'";
  expect(text).toContain(account);
  write('call-a-route.mjs', text.replace(account, JSON.stringify(folder)));
  write('token', 'token-of-the-account');
  write('ca.crt', api.ca);
  const url = plane === null ? '' : await answering(() => plane(api.made.at(-1)?.spec.handler.config.entity ?? ''));
  const group = { name: 'edge', url, namespace: 'shop', host: 'shop.example.com', problem };
  write('settings.json', JSON.stringify({ groups: [group], hints: ['look at the Pods'], timeoutSeconds: 1 }));
  const env = { KUBERNETES_SERVICE_HOST: api.host, KUBERNETES_SERVICE_PORT: String(api.port) };
  return { outcome: await runProgram(process.execPath, [join(folder, 'call-a-route.mjs')], { env }), api };
}

/** A server that answers every request for the tenant's host. */
async function answering(text: () => string): Promise<string> {
  const server = createServer(({ headers }, response) => {
    response.statusCode = headers.host === 'shop.example.com' ? 200 : 404;
    response.end(text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
