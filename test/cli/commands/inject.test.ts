import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { injectManifests } from '../../../cli/actions/inject-manifests.ts';
import { sidecarMeans } from '../../../cli/options/sidecar-means.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { injectObject } from '../../../controller/injection/inject-object.ts';
import { withAdditions } from '../../../controller/injection/pod-patch.ts';
import { plainSettings, plainTerms } from '../../support/cluster/injected-pod.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { gatewarden, type Outcome, runProgram } from '../../support/programs/run-program.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const issuer = certificateAuthority('controllers');
const authority = issuer.certificate;

const deployment = `# the web shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web   # as people know it
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
      - name: app
        image: app:1
        ports: [ { containerPort: 8080 } ]
      volumes:
      - name: settings
        configMap: { name: settings, defaultMode: 0440 }
`;
const service = "kind: Service\napiVersion:   v1\nmetadata: {name: 'web'}\n";
const out = (name: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, labels: {gatewarden.io/inject: "false"}}\nspec: {}\n`;
const lost = 'apiVersion: v1\nkind: Pod\nmetadata: {name: lost}\nspec:\n  hostNetwork: true\n  containers: []\n';

function inject(...texts: string[]) {
  const files = texts.map((text, at) => ({ path: `m${at}.yaml`, content: Buffer.from(text) }));
  return injectManifests(files, plainTerms);
}

/** The lines that are new, and whether all others are as they were. */
function added(before: string, after: string): { lines: string[]; isKept: boolean } {
  const left = before.split('\n');
  const lines = after.split('\n').filter((line) => {
    if (line !== left[0]) return true;
    left.shift();
    return false;
  });
  return { lines, isKept: left.length === 0 };
}

const valuesOf = (text: string): JsonObject[] => parseAllDocuments(text).map((document) => document.toJS());

describe('manifests', () => {
  it('get the same sidecars as Pods do', () => {
    const { text } = inject(deployment);
    const [before] = valuesOf(deployment);
    const injection = injectObject(before!, plainTerms);
    if (injection?.outcome !== 'injected') expect.fail(JSON.stringify(injection));
    expect(valuesOf(text!)).toEqual([withAdditions(before!, injection.additions)]);
  });

  it('keep their comments and lines, except for labels in flow style', () => {
    const { text } = inject(deployment);
    const wider = deployment.replace(
      '{ app: web }\n    spec',
      '{ app: web, "gatewarden.io/sidecar": "true" }\n    spec',
    );
    expect(added(wider, text!)).toMatchObject({ isKept: true });
  });

  it('keep other objects, objects that opted out, and the order', () => {
    const texts = [service, `---\n${deployment}`, `---\n${out('quiet')}`, '---\n', `--- # last\n${service}`];
    const { text, said } = inject(texts.join(''));
    expect(text!.startsWith(`${service}---\n# the web shop\n`)).toBe(true);
    expect(text!.endsWith(`${texts[2]}${texts[3]}${texts[4]}`)).toBe(true);
    expect(said).toEqual([
      expect.stringContaining('warning: Deployment web: gatewarden: if the application listens on the Pod address'),
      'note: Pod quiet gets no sidecar: its label gatewarden.io/inject is "false"',
    ]);
  });

  it('are one stream when they come from several files', () => {
    const { text } = inject(service, `${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap' })}`, `---\n${service}`);
    expect(valuesOf(text!).map(({ kind }) => kind)).toEqual(['Service', 'ConfigMap', 'Service']);
  });

  it('may be lists, also in JSON', () => {
    const [one] = valuesOf(deployment);
    const items = [one!, { apiVersion: 'v1', kind: 'List', items: [one!, valuesOf(service)[0]!] }];
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const whole = valuesOf(inject(text).text!)[0] as { items: { items: JsonObject[] }[] };
    expect(JSON.stringify(whole).split('"--sidecar"')).toHaveLength(3);
    expect(whole.items[1]?.items[1]).toEqual(valuesOf(service)[0]);
    const yaml = inject(
      `apiVersion: v1\nkind: List\nitems:\n- ${deployment.slice(15).replaceAll('\n', '\n  ').trim()}\n`,
    );
    expect(yaml.text!.split('--sidecar')).toHaveLength(2);
  });

  it('are all refused when something is wrong, with everything that is', () => {
    const bad = deployment.replace('labels: { app: web }\n', '$&      annotations: { gatewarden.io/port: "80" }\n');
    const { text, said } = inject(bad, lost);
    expect(text).toBeNull();
    expect(said).toEqual([
      expect.stringMatching(
        /^error: Deployment web → spec\.template\.metadata\.annotations\["gatewarden\.io\/port"\]: must be a port .*\n {2}at m0\.yaml:11:/,
      ),
      expect.stringContaining('error: Pod lost → spec.hostNetwork: a Pod with hostNetwork'),
      expect.stringContaining('the port of the application is not known: no container declares a port'),
    ]);
  });

  it.each([
    ['no YAML', 'a: [', /is not YAML/],
    [
      'an alias where the sidecar goes',
      deployment
        .replace('metadata:\n', 'x: &l { app: web }\nmetadata:\n')
        .replace('labels: { app: web }', 'labels: *l'),
      /replace its YAML aliases/,
    ],
    [
      'no object but a template',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {}\n',
      /spec\.template: is required/,
    ],
  ])('are refused with %s', (_, given, message) => {
    const { text, said } = inject(given);
    expect(text).toBeNull();
    expect(said.join('\n')).toMatch(message);
  });

  it('use their own namespace, or the one of the option', () => {
    const own = deployment.replace('name: web', 'namespace: kube-system\n  name: web');
    expect(inject(own)).toMatchObject({ text: own, said: [expect.stringContaining('kube-system never get one')] });
    const files = [{ path: 'a.yaml', content: Buffer.from(deployment) }];
    expect(injectManifests(files, { ...plainTerms, namespace: 'kube-system' }).text).toBe(deployment);
  });
});

describe('gatewarden inject', () => {
  function folder() {
    const { path } = watchedDirectory();
    const write = (name: string, text: string): string => {
      writeFileSync(join(path, name), text);
      return join(path, name);
    };
    const settings = write('sidecar.json', JSON.stringify(plainSettings));
    return { path, write, means: ['--settings', settings, '--ca', write('ca.crt', authority)] };
  }
  const run = (words: readonly string[], input?: string, env?: NodeJS.ProcessEnv): Promise<Outcome> =>
    runProgram(gatewarden, ['inject', ...words], { ...(input === undefined ? {} : { input }), ...(env && { env }) });

  it('reads files and the standard input, prints manifests, and writes notes to stderr', async () => {
    const { means, write } = folder();
    const words = ['-f', write('a.yaml', deployment), '-f', '-', ...means];
    const { code, stdout, stderr } = await run(words, service);
    expect(code).toBe(0);
    expect(valuesOf(stdout).map(({ kind }) => kind)).toEqual(['Deployment', 'Service']);
    expect(stdout).toContain('name: GATEWARDEN_CA');
    expect(stdout).toContain(authority.trim().split('\n')[1]);
    expect(stderr).toMatch(/^warning: Deployment web: /);
  });

  it('prints nothing when something is wrong', async () => {
    const { means } = folder();
    expect(await run(['-f', '-', ...means], lost)).toMatchObject({ code: 1, stdout: '' });
  });

  it.each<[string, (folder: string) => string[], number, RegExp]>([
    ['no file', () => [], 2, /name the manifests with -f FILE/],
    ['a file that is not there', () => ['-f', '/no/file', '--settings', 'a', '--ca', 'b'], 1, /no such file/],
    [
      'settings that are none',
      (at) => ['-f', `${at}/empty`, '--settings', `${at}/empty`, '--ca', `${at}/empty`],
      1,
      /empty/,
    ],
  ])('rejects %s', async (_, words, code, message) => {
    const { path, write } = folder();
    write('empty', '');
    expect(await run(words(path))).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  });

  it('explains how to provide its settings without a cluster', async () => {
    const { write, path } = folder();
    const home = join(path, 'home');
    mkdirSync(home);
    const words = ['-f', write('a.yaml', deployment)];
    const { code, stderr } = await run(words, undefined, { PATH: process.env['PATH'], HOME: home });
    expect([code, stderr]).toEqual([1, expect.stringContaining('no kubeconfig is given')]);
  });

  it('reads missing settings from the cluster', async () => {
    const { write, means } = folder();
    const asked: string[] = [];
    const answers: Record<string, JsonObject> = {
      'gatewarden-sidecar': { 'sidecar.json': JSON.stringify({ ...plainSettings, image: 'of-the-cluster' }) },
      'gatewarden-authority': { 'ca.crt': authority },
    };
    const { chain, key } = issuer.issue({ names: ['127.0.0.1'] });
    const server = createServer({ cert: chain, key }, (request, response) => {
      asked.push(request.url ?? '');
      const data = answers[request.url?.split('/').at(-1) ?? ''];
      response.writeHead(data === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(data === undefined ? {} : { data }));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const encoded = Buffer.from(authority).toString('base64');
    const kubeconfig = write(
      'kubeconfig',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'a',
        clusters: [
          { name: 'a', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': encoded } },
        ],
        users: [{ name: 'a', user: { token: 't' } }],
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      }),
    );
    const wish = { settings: undefined, ca: undefined, kubeconfig, namespace: 'system' };
    expect(await sidecarMeans(wish)).toMatchObject({ settings: { image: 'of-the-cluster' }, authorities: authority });
    expect(asked).toEqual([
      '/api/v1/namespaces/system/configmaps/gatewarden-sidecar',
      '/api/v1/namespaces/system/configmaps/gatewarden-authority',
    ]);
    expect(await sidecarMeans({ ...wish, ca: means[3] })).toMatchObject({ authorities: authority });
    expect(asked.slice(2)).toEqual(['/api/v1/namespaces/system/configmaps/gatewarden-sidecar']);
    delete answers['gatewarden-authority'];
    const command = "kubectl get configmap gatewarden-authority -n system -o jsonpath='{.data.ca\\.crt}'";
    await expect(sidecarMeans(wish)).rejects.toThrow(command);
  });
});
