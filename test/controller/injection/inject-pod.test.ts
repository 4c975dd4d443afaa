import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { problemText } from '../../../contract/problem-text.ts';
import { type InjectionTerms, injectPod } from '../../../controller/injection/inject-pod.ts';
import { withAdditions } from '../../../controller/injection/pod-patch.ts';
import { SIDECAR_OPTIONS } from '../../../controller/injection/sidecar-options.ts';
import { type PodParts, plainPod, plainSettings, plainTerms } from '../../support/cluster/injected-pod.ts';

interface InjectedSpec {
  readonly initContainers: readonly (JsonObject & {
    readonly name: string;
    readonly args: readonly string[];
    readonly resources: JsonObject;
    readonly securityContext: JsonObject;
    readonly ports: readonly JsonObject[];
  })[];
  readonly volumes: readonly JsonObject[];
  readonly imagePullSecrets?: readonly JsonObject[];
}

/** The Pod with its sidecar. */
function injected(pod: JsonObject, terms: InjectionTerms = plainTerms) {
  const injection = injectPod(pod, terms);
  if (injection.outcome !== 'injected') expect.fail(JSON.stringify(injection));
  const whole = withAdditions(pod, injection.additions);
  const spec = whole['spec'] as unknown as InjectedSpec;
  const sidecar = spec.initContainers.find(({ name }) => name === 'gatewarden');
  if (sidecar === undefined) expect.fail('there is no sidecar');
  return { whole, spec, sidecar, warnings: injection.warnings };
}

/** What a Pod is refused for. */
function refusals(pod: JsonObject, terms: InjectionTerms = plainTerms): string[] {
  const injection = injectPod(pod, terms);
  return injection.outcome === 'refused' ? injection.problems.map((problem) => problemText(problem)) : [];
}

const withSettings = (settings: Partial<typeof plainSettings>): InjectionTerms => ({
  ...plainTerms,
  settings: { ...plainSettings, ...settings },
});

const hidden = { annotations: { 'app-listens': 'loopback' } };

describe('a Pod that asks for a sidecar', () => {
  it('gets one that Kubernetes keeps running, with all that it needs', () => {
    const { sidecar, spec, whole } = injected(plainPod());
    expect(sidecar).toMatchObject({
      name: 'gatewarden',
      image: 'gatewarden:1.0.0',
      imagePullPolicy: 'IfNotPresent',
      restartPolicy: 'Always',
      env: [
        { name: 'GATEWARDEN_CA', value: 'PEM\n' },
        {
          name: 'GATEWARDEN_ZONE',
          valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['topology.kubernetes.io/zone']" } },
        },
      ],
      ports: [
        { name: 'gatewarden', containerPort: 15_080, protocol: 'TCP' },
        { name: 'gw-metrics', containerPort: 15_090, protocol: 'TCP' },
      ],
      startupProbe: { httpGet: { path: '/health/live', port: 15_090 } },
      readinessProbe: { httpGet: { path: '/health/ready', port: 15_090 } },
      livenessProbe: { httpGet: { path: '/health/live', port: 15_090 } },
      resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        runAsUser: 65_532,
        runAsGroup: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumeMounts: [
        { name: 'gatewarden-token', mountPath: '/var/run/secrets/tokens/gatewarden', readOnly: true },
        { name: 'gatewarden-tmp', mountPath: '/tmp' },
        {
          name: 'gatewarden-no-api-token',
          mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
          readOnly: true,
        },
      ],
    });
    expect(sidecar.args).toEqual([
      'dataplane',
      '--sidecar',
      '--controller=gatewarden-controller.gatewarden.svc:9443',
      '--ca-env=GATEWARDEN_CA',
      '--app-port=8080',
      '--port=15080',
      '--admin=:15090',
      '--zone=$(GATEWARDEN_ZONE)',
      '--units=1',
      '--log-level=info',
      '--access-log=-',
      '--drain-timeout=20s',
      '--limits=temporaryFileBytes=60397977',
    ]);
    expect(sidecar.args.slice(1, -1).map((word) => word.split('=', 1)[0])).toEqual(SIDECAR_OPTIONS);
    const token = { audience: 'gatewarden-controller', expirationSeconds: 3600, path: 'token' };
    expect(spec.volumes).toEqual([
      { name: 'gatewarden-token', projected: { sources: [{ serviceAccountToken: token }] } },
      { name: 'gatewarden-tmp', emptyDir: { sizeLimit: '64Mi' } },
      { name: 'gatewarden-no-api-token', emptyDir: { sizeLimit: '1Mi' } },
    ]);
    expect(whole['metadata']).toMatchObject({ labels: { app: 'web', 'gatewarden.io/sidecar': 'true' } });
  });

  it.each<[string, PodParts, string[]]>([
    ['last among init containers', { spec: { initContainers: [{ name: 'a' }, { name: 'b' }] } }, ['a', 'b']],
    ['last when it says so', { spec: { initContainers: [{ name: 'a' }] }, annotations: { start: 'last' } }, ['a']],
    ['alone', {}, []],
    ['alone where there are none', { spec: { initContainers: [] } }, []],
    ['alone where they are nothing', { spec: { initContainers: null } }, []],
  ])('gets it %s', (_, parts, before) => {
    expect(injected(plainPod(parts)).spec.initContainers.map(({ name }) => name)).toEqual([...before, 'gatewarden']);
  });

  it.each<[string, PodParts, string[]]>([
    [
      'of several',
      { spec: { initContainers: [{ name: 'a' }, { name: 'b' }] }, annotations: { start: 'first' } },
      ['a', 'b'],
    ],
    ['of none', { annotations: { start: 'first' } }, []],
  ])('gets it as the first %s when the annotation asks for it', (_, parts, after) => {
    expect(injected(plainPod(parts)).spec.initContainers.map(({ name }) => name)).toEqual(['gatewarden', ...after]);
  });

  it('keeps all its fields', () => {
    const before = plainPod({
      spec: {
        initContainers: [{ name: 'a', image: 'b' }],
        volumes: [{ name: 'data', emptyDir: {} }],
        ephemeralContainers: [{ name: 'debugger' }],
        restartPolicy: 'Never',
        securityContext: { runAsUser: 0 },
      },
    });
    const copy = structuredClone(before);
    const { whole } = injected(before);
    const spec = whole['spec'] as JsonObject & InjectedSpec;
    expect(before).toEqual(copy);
    expect({ ...spec, initContainers: spec.initContainers.slice(0, 1), volumes: spec.volumes.slice(0, 1) }).toEqual(
      copy['spec'],
    );
    expect(whole['metadata']).toEqual({
      ...(copy['metadata'] as JsonObject),
      labels: { app: 'web', 'gatewarden.io/inject': 'true', 'gatewarden.io/sidecar': 'true' },
    });
  });

  it('gets the same one each time, and keeps the one that it has', () => {
    const pod = plainPod();
    const { whole } = injected(pod);
    expect(injected(pod).whole).toEqual(whole);
    expect(injectPod(whole, plainTerms)).toEqual({ outcome: 'left-alone', why: 'it has one already' });
    const later = withSettings({ image: 'gatewarden:2.0.0', port: 16_000 });
    expect(injectPod(whole, { ...later, authorities: 'others' })).toMatchObject({ outcome: 'left-alone' });
  });

  it.each<[string, JsonObject]>([
    ['no metadata', { spec: { containers: [{ name: 'app', ports: [{ containerPort: 8080 }] }] } }],
    ['no labels', { metadata: {}, spec: { containers: [{ name: 'app', ports: [{ containerPort: 8080 }] }] } }],
    [
      'null labels',
      { metadata: { labels: null }, spec: { containers: [{ name: 'a', ports: [{ containerPort: 8080 }] }] } },
    ],
    ['a name that is yet to be made', { metadata: { generateName: 'web-' }, spec: plainPod()['spec'] ?? null }],
  ])('may have %s', (_, pod) => {
    expect(injected(pod).whole['metadata']).toMatchObject({ labels: { 'gatewarden.io/sidecar': 'true' } });
  });
});

describe('annotations', () => {
  it.each<[string, JsonObject, RegExp]>([
    ['port', { port: '16000' }, /--port=16000 /],
    ['admin-port', { 'admin-port': '16001' }, /--admin=:16001 /],
    ['log-level', { 'log-level': 'debug' }, /--log-level=debug /],
    ['app-port', { 'app-port': '9000' }, /--app-port=9000 /],
    ['several app-ports', { 'app-port': '8080, 9000,8080' }, /--app-port=8080,9000 /],
  ])('set the option of %s', (_, annotations, words) => {
    expect(`${injected(plainPod({ annotations })).sidecar.args.join(' ')} `).toMatch(words);
  });

  it('the ports of the container and the probes follow', () => {
    const { sidecar } = injected(plainPod({ annotations: { port: '16000', 'admin-port': '16001' } }));
    expect(sidecar.ports).toMatchObject([{ containerPort: 16_000 }, { containerPort: 16_001 }]);
    expect(sidecar).toMatchObject({
      startupProbe: { httpGet: { port: 16_001 } },
      readinessProbe: { httpGet: { port: 16_001 } },
      livenessProbe: { httpGet: { port: 16_001 } },
    });
  });

  it('resources, each separately', () => {
    const annotations = { 'cpu-request': '0.5', 'cpu-limit': '2', 'memory-request': '1Gi', 'memory-limit': '2Gi' };
    expect(injected(plainPod({ annotations })).sidecar.resources).toEqual({
      requests: { cpu: '0.5', memory: '1Gi' },
      limits: { cpu: '2', memory: '2Gi' },
    });
    expect(injected(plainPod({ annotations: { 'cpu-limit': '200m' } })).sidecar.resources).toEqual({
      requests: { cpu: '50m', memory: '96Mi' },
      limits: { cpu: '200m', memory: '256Mi' },
    });
  });

  it('are refused all at once, each with its path', () => {
    const annotations = {
      port: '80',
      'admin-port': 'x',
      'app-port': '0,8080',
      'cpu-request': 'much',
      'cpu-limit': '-1',
      'memory-request': '1GB',
      'memory-limit': '',
      'log-level': 'trace',
      start: 'middle',
      'app-listens': 'pod',
      'app-prot': '8080',
    };
    expect(refusals(plainPod({ annotations }))).toEqual([
      expect.stringContaining('["gatewarden.io/app-prot"]: there is no such annotation of Pods [unknown-field]'),
      expect.stringContaining('["gatewarden.io/app-port"]: must be a port, or several'),
      expect.stringContaining('["gatewarden.io/port"]: must be a port from 1024 to 65535'),
      expect.stringContaining('["gatewarden.io/admin-port"]: must be a port from 1024'),
      expect.stringContaining('["gatewarden.io/cpu-request"]: must be an amount'),
      expect.stringContaining('["gatewarden.io/cpu-limit"]: must be an amount'),
      expect.stringContaining('["gatewarden.io/memory-request"]: must be an amount'),
      expect.stringContaining('["gatewarden.io/memory-limit"]: must be an amount'),
      expect.stringContaining('["gatewarden.io/log-level"]: must be error or warn or info or debug'),
      expect.stringContaining('["gatewarden.io/start"]: must be first or last'),
      expect.stringContaining('["gatewarden.io/app-listens"]: must be loopback'),
    ]);
  });

  it('that are unknown are reported up to a limit', () => {
    const annotations = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`of-mine-${at}`, 'x']));
    expect(refusals(plainPod({ annotations }))).toHaveLength(50);
  });

  it('must be texts', () => {
    expect(refusals(plainPod({ annotations: { port: 16_000 } }))).toEqual([
      'error: metadata.annotations["gatewarden.io/port"]: must be a text: put it in quotes [value]',
    ]);
  });

  it('of other products are ignored', () => {
    const pod = plainPod();
    const metadata = { ...(pod['metadata'] as JsonObject), annotations: { 'example.com/port': '1' } };
    expect(injected({ ...pod, metadata }).sidecar.args).toContain('--port=15080');
  });
});

describe('the port of the application', () => {
  const containers = (...ports: JsonValue[][]): PodParts => ({
    spec: { containers: ports.map((some, at) => ({ name: `c${at}`, ports: some })) },
  });

  it.each<[string, PodParts, string]>([
    ['the only one', containers([{ containerPort: 3000 }], []), '3000'],
    ['the only one, twice', containers([{ containerPort: 3000 }], [{ containerPort: 3000 }]), '3000'],
    ['the only one of TCP', containers([{ containerPort: 3000 }, { containerPort: 53, protocol: 'UDP' }]), '3000'],
    [
      'what the annotation says',
      { ...containers([{ containerPort: 3000 }, { containerPort: 4000 }]), annotations: { 'app-port': '4000' } },
      '4000',
    ],
    [
      'not that of a sidecar of somebody else',
      { spec: { initContainers: [{ name: 'mesh', restartPolicy: 'Always', ports: [{ containerPort: 15_001 }] }] } },
      '8080',
    ],
  ])('is %s', (_, parts, port) => {
    expect(injected(plainPod(parts)).sidecar.args).toContain(`--app-port=${port}`);
  });

  it.each<[string, PodParts, string]>([
    ['no port', containers([]), 'the port of the application is not known: no container declares a port'],
    [
      'two',
      containers([{ containerPort: 1 }], [{ containerPort: 2 }]),
      'the port of the application is not known: its containers declare 1, 2',
    ],
  ])('must be set by annotation if there is %s', (_, parts, message) => {
    const [only, ...others] = refusals(plainPod(parts));
    expect(only).toContain(message);
    expect(only).toContain('hint: set it with the annotation gatewarden.io/app-port');
    expect(others).toEqual([]);
  });
});

describe('a Pod that conflicts with a sidecar is rejected', () => {
  it.each<[string, PodParts, string]>([
    ['with hostNetwork', { spec: { hostNetwork: true } }, 'spec.hostNetwork: a Pod with hostNetwork'],
    ['for Windows', { spec: { os: { name: 'windows' } } }, 'spec.os.name: there is no sidecar for Windows'],
    [
      'on nodes with Windows',
      { spec: { nodeSelector: { 'kubernetes.io/os': 'windows' } } },
      'spec.nodeSelector["kubernetes.io/os"]: there is no sidecar for Windows',
    ],
    [
      'with its port taken',
      { spec: { containers: [{ name: 'x', ports: [{ containerPort: 15_080 }] }] } },
      'spec.containers[0].ports[0].containerPort: the sidecar needs port 15080, which container x uses [exclusive]',
    ],
    [
      'with its admin port taken by another sidecar',
      { spec: { initContainers: [{ name: 'm', restartPolicy: 'Always', ports: [{ containerPort: 15_090 }] }] } },
      'spec.initContainers[0].ports[0].containerPort: the sidecar needs port 15090, which container m uses',
    ],
    [
      'with its port said to be the application’s',
      { annotations: { 'app-port': '8080,15080' } },
      'the sidecar needs port 15080, which the annotation declares as a port of the application [exclusive]',
    ],
    [
      'with one port for two things',
      { annotations: { port: '15090' } },
      'cannot use port 15090 for clients and for metrics',
    ],
    [
      'with a container of that name',
      { spec: { containers: [{ name: 'gatewarden', ports: [{ containerPort: 8080 }] }] } },
      'spec.containers[0].name: is reserved for the sidecar [duplicate-name]',
    ],
    [
      'with a container that wants the token of the sidecar',
      {
        spec: {
          containers: [
            {
              name: 'app',
              ports: [{ containerPort: 8080 }],
              volumeMounts: [{ name: 'gatewarden-token', mountPath: '/token' }],
            },
          ],
        },
      },
      'spec.containers[0].volumeMounts[0].name: is a volume of the sidecar; other containers must not mount it',
    ],
    [
      'with an init container of that name',
      { spec: { initContainers: [{ name: 'gatewarden' }] } },
      'spec.initContainers[0].name: is reserved for the sidecar',
    ],
    [
      'with a sidecar of that name that is another program',
      { spec: { initContainers: [{ name: 'gatewarden', restartPolicy: 'Always', args: ['run'] }] } },
      'spec.initContainers[0].name: is reserved for the sidecar',
    ],
    [
      'with a port of that name',
      { spec: { containers: [{ name: 'app', ports: [{ name: 'gatewarden', containerPort: 8080 }] }] } },
      'spec.containers[0].ports[0].name: is reserved for the port of the sidecar',
    ],
    [
      'with a volume of that name',
      { spec: { volumes: [{ name: 'gatewarden-tmp', emptyDir: {} }] } },
      'spec.volumes[0].name: is reserved for a volume of the sidecar',
    ],
    [
      'with a label that says neither',
      { labels: { 'gatewarden.io/inject': 'yes' } },
      'metadata.labels["gatewarden.io/inject"]: must be "true" or "false", not "yes" [value]',
    ],
  ])('%s', (_, parts, message) => {
    const said = refusals(plainPod(parts));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(message);
  });

  it('in a namespace in which sidecars are not admitted', () => {
    expect(refusals(plainPod(), withSettings({ namespaces: ['bank', 'toys'] }))).toEqual([
      'error: sidecars are not admitted in the namespace shop; they are admitted only in bank, toys [not-allowed]\n' +
        '  hint: add it to sidecars.namespaces of the chart',
    ]);
    expect(refusals(plainPod(), withSettings({ namespaces: [] }))[0]).toContain('in the namespace shop [not-allowed]');
    expect(refusals(plainPod(), withSettings({ namespaces: ['shop'] }))).toEqual([]);
  });

  it('without a spec', () => {
    expect(refusals({ metadata: {} })).toEqual(['error: spec: is required [missing]']);
  });

  it('and all problems are reported at once', () => {
    const spec = { hostNetwork: true, os: { name: 'windows' }, volumes: [{ name: 'gatewarden-token' }] };
    expect(refusals(plainPod({ spec, annotations: { port: '1', 'log-level': 'x' } }))).toHaveLength(5);
  });
});

describe('a Pod is not changed', () => {
  const out = { labels: { 'gatewarden.io/inject': 'false' } };

  it.each<[string, JsonObject, string]>([
    ['that says "false"', plainPod(out), 'shop'],
    ['that says "false", whatever else it says', plainPod({ ...out, annotations: { port: 'x' } }), 'shop'],
    ['of kube-system', plainPod(), 'kube-system'],
    ['of kube-public', plainPod(), 'kube-public'],
    ['of kube-node-lease', plainPod(), 'kube-node-lease'],
    ['of a namespace that the settings exclude', plainPod(), 'gatewarden'],
    ['of such a namespace, although it could not have one', plainPod({ spec: { hostNetwork: true } }), 'kube-system'],
    [
      'that the kubelet runs by itself',
      { ...plainPod(), metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } },
      'shop',
    ],
  ])('%s', (_, pod, namespace) => {
    expect(injectPod(pod, { ...plainTerms, namespace })).toMatchObject({ outcome: 'left-alone' });
  });
});

describe('warnings', () => {
  const probed = (probe: JsonObject): PodParts => ({
    ...hidden,
    spec: { containers: [{ name: 'a', ports: [{ name: 'http', containerPort: 8080 }], readinessProbe: probe }] },
  });

  it('say that clients can bypass the sidecar, unless the application listens on loopback', () => {
    const { warnings } = injected(plainPod());
    expect(warnings).toEqual([expect.stringContaining('clients can bypass the sidecar on port 8080')]);
    expect(warnings[0]).toContain('gatewarden.io/app-listens: loopback');
    expect(warnings[0]).toContain('NetworkPolicy');
    expect(injected(plainPod(hidden)).warnings).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['HTTP', { httpGet: { port: 8080 } }],
    ['HTTP by the name of the port', { httpGet: { port: 'http' } }],
    ['TCP', { tcpSocket: { port: 8080 } }],
    ['gRPC', { grpc: { port: 8080 } }],
  ])('say that a probe over %s does not reach an application on loopback', (_, probe) => {
    expect(injected(plainPod(probed(probe))).warnings).toEqual([
      expect.stringContaining('spec.containers[0].readinessProbe probes the Pod address'),
    ]);
  });

  it.each<[string, JsonObject]>([
    ['a program', { exec: { command: ['true'] } }],
    ['another port', { httpGet: { port: 15_080 } }],
    ['a port of another name', { httpGet: { port: 'other' } }],
  ])('are not given for a probe of %s', (_, probe) => {
    expect(injected(plainPod(probed(probe))).warnings).toEqual([]);
  });

  it('are short enough for the API server', () => {
    const spec = { containers: [{ name: 'a', startupProbe: { grpc: { port: 65_535 } } }] };
    const many = { 'app-port': '65531,65532,65533,65534,65535' };
    for (const more of [{}, { 'app-listens': 'loopback' }]) {
      const { warnings } = injected(plainPod({ annotations: { ...many, ...more }, spec }));
      expect(warnings).not.toEqual([]);
      for (const warning of warnings) expect(warning.length).toBeLessThanOrEqual(256);
    }
  });
});

describe('settings', () => {
  it('make the sidecar', () => {
    const { sidecar, spec } = injected(
      plainPod(),
      withSettings({
        image: 'registry.example.com/gatewarden@sha256:0',
        pullPolicy: 'Always',
        controllers: ['a:1', 'b:2'],
        port: 2000,
        adminPort: 2001,
        units: 2,
        logLevel: 'warn',
        accessLog: false,
        drainSeconds: 5,
        temporaryStorage: '1Gi',
        extraArgs: ['--trusted-proxies', '10.0.0.0/8'],
        resources: { requests: {}, limits: {} },
      }),
    );
    expect(sidecar).toMatchObject({
      image: 'registry.example.com/gatewarden@sha256:0',
      imagePullPolicy: 'Always',
      resources: { requests: {}, limits: {} },
    });
    expect(sidecar.args.join(' ')).toBe(
      'dataplane --sidecar --controller=a:1,b:2 --ca-env=GATEWARDEN_CA --app-port=8080 --port=2000 --admin=:2001 ' +
        '--zone=$(GATEWARDEN_ZONE) --units=2 --log-level=warn --access-log=off --drain-timeout=5s --limits=temporaryFileBytes=966367641 ' +
        '--trusted-proxies 10.0.0.0/8',
    );
    expect(spec.volumes).toContainEqual({ name: 'gatewarden-tmp', emptyDir: { sizeLimit: '1Gi' } });
  });

  it('leave the user id to the cluster if configured', () => {
    const { sidecar } = injected(plainPod(), withSettings({ runAsUser: null, runAsGroup: null }));
    expect(sidecar.securityContext).not.toHaveProperty('runAsUser');
    expect(sidecar.securityContext).not.toHaveProperty('runAsGroup');
    expect(sidecar.securityContext).toMatchObject({ runAsNonRoot: true });
  });

  it('add the Secrets for pulling the image that the Pod does not name', () => {
    const terms = withSettings({ pullSecrets: ['a', 'b'] });
    expect(injected(plainPod(), terms).spec.imagePullSecrets).toEqual([{ name: 'a' }, { name: 'b' }]);
    const pod = plainPod({ spec: { imagePullSecrets: [{ name: 'b' }] } });
    expect(injected(pod, terms).spec.imagePullSecrets).toEqual([{ name: 'b' }, { name: 'a' }]);
    expect(injected(pod).spec.imagePullSecrets).toEqual([{ name: 'b' }]);
  });
});
