import { hostname } from 'node:os';
import { SpareUnit } from '../../dataplane/supervisor/spare-unit.ts';
import { endAtStopSignal } from '../actions/stop-signals.ts';
import { type Address, readAddress } from '../options/address.ts';
import { authoritiesIn } from '../options/authorities-variable.ts';
import { connectorOptions } from '../options/connector-options.ts';
import { readDuration } from '../options/duration.ts';
import { planeOptions, unitsOption } from '../options/plane-options.ts';
import { secureOptions, secureProblem } from '../options/secure-options.ts';
import { systemOption } from '../options/system-property.ts';
import { defineCommand, type Reading, type RepeatedOption } from './command.ts';

const labelOption = {
  repeated: '--label',
  valueName: 'NAME=VALUE',
  description: 'Label by which Routes select this plane, where its credential lets it say so; Pods have their own.',
  read: readLabel,
} as const satisfies RepeatedOption<readonly [string, string]>;

/** A plane that serves what a controller sends. */
export const dataplaneCommand = defineCommand({
  name: 'dataplane',
  summary: 'serve what a controller sends',
  description:
    'Connects to a controller, serves what it sends, and follows its changes. It is alive at once, and ready when the ' +
    'first snapshot serves. A controller that is away costs no request: what was sent last serves on, and with ' +
    '--snapshot it is also served after a restart. SIGTERM and SIGINT stop accepting and let running requests finish; ' +
    'a second signal ends the process at once.',
  options: {
    controller: {
      valueName: 'HOST:PORT[,…]',
      description: 'Controllers to connect to, any of them; a name may stand for several. TLS is always spoken.',
      read: readControllers,
    },
    ca: file(
      'Certificates of the authorities that certify controllers, read again for every connection; by default those that the system trusts.',
    ),
    'ca-env': {
      valueName: 'NAME',
      description: 'Environment variable that holds these certificates in PEM, in place of --ca.',
      optional: true,
      read: readVariable,
    },
    'token-file': file(
      'Token that is shown to controllers, read again for every connection; by default ' +
        '/var/run/secrets/tokens/gatewarden/token, where Pods have it, unless there is another credential.',
    ),
    'bootstrap-token-file': file('Token of a plane outside of a cluster, in place of --token-file.'),
    cert: file('Certificate of this plane with its chain, in PEM, to be known by; needs --key.'),
    key: file('Key of that certificate, in PEM.'),
    snapshot: {
      ...file(
        'Directory that what is served is kept in, sealed, for a start without a controller; by default nowhere.',
      ),
      valueName: 'DIR',
    },
    'snapshot-key': file(
      'File with 32 random bytes or more that --snapshot is sealed with; only planes of the same group may have it.',
    ),
    'snapshot-max-age': {
      valueName: 'DURATION',
      description: 'How long after a controller last stood by it a kept snapshot may still be served.',
      default: '168h',
      read: readDuration,
    },
    'unready-after': {
      valueName: 'DURATION',
      description:
        'How long no controller may confirm what is served before the plane is not ready, so that balancers take it ' +
        'out; it serves on. By default it stays ready.',
      optional: true,
      read: readDuration,
    },
    sidecar: {
      flag: true,
      description: 'Run beside one application: one event loop unless --units says otherwise, and nothing on disk.',
    },
    'app-port': {
      valueName: 'N[,N…]',
      description: 'Ports of the application beside a sidecar: Routes may connect to them on this machine.',
      optional: true,
      read: readAppPorts,
    },
    name: {
      valueName: 'NAME',
      description: 'Name of this plane outside of a cluster; by default the name of the machine.',
      optional: true,
      read: readName,
    },
    label: labelOption,
    ...connectorOptions,
    ...secureOptions,
    system: systemOption,
    units: unitsOption,
    ...planeOptions,
  },
  examples: [
    {
      command: 'gatewarden dataplane --controller controller.gatewarden.svc:9443 --ca ca.crt',
      effect: 'Serve as a plane in a cluster, with the token that its Pod has.',
    },
    {
      command: 'gatewarden dataplane --controller ctl:9443 --bootstrap-token-file token --label tier=edge',
      effect: 'Serve outside of a cluster, as a plane that Routes select by a label.',
    },
  ],
  async run(options) {
    const problem = combinationProblem(options) ?? secureProblem(options);
    if (problem !== null) {
      process.stderr.write(`gatewarden dataplane: ${problem}\n`);
      return 2;
    }
    const { 'ca-env': variable } = options;
    const found = variable === undefined ? null : authoritiesIn(process.env, variable);
    if (found !== null && 'problem' in found) throw new Error(`--ca-env: ${found.problem}`);
    endAtStopSignal();
    const spare = new SpareUnit();
    spare.prepare(); // it takes longest to load, and does so while this thread loads the rest
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { runDataplane } = await import('../actions/run-dataplane.ts');
    const { 'bootstrap-token-file': bootstrap, 'token-file': token, cert, name, label, system, ...rest } = options;
    const byDefault = cert === undefined ? '/var/run/secrets/tokens/gatewarden/token' : undefined;
    return runDataplane({
      ...rest,
      spare,
      files: {
        ca: options.ca,
        authorities: found?.authorities,
        token: bootstrap ?? token ?? byDefault,
        certificate: cert,
        key: options.key,
      },
      name: name ?? hostname(),
      labels: Object.fromEntries(label),
      system: Object.fromEntries(system),
    });
  },
});

/** What is wrong with options that make sense only together or apart. */
function combinationProblem(options: {
  readonly ca: string | undefined;
  readonly 'ca-env': string | undefined;
  readonly 'token-file': string | undefined;
  readonly 'bootstrap-token-file': string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly snapshot: string | undefined;
  readonly 'snapshot-key': string | undefined;
  readonly sidecar: boolean;
  readonly 'app-port': readonly number[] | undefined;
}): string | null {
  const { cert, key, snapshot, 'snapshot-key': sealed, sidecar } = options;
  if (options['token-file'] !== undefined && options['bootstrap-token-file'] !== undefined)
    return '--token-file and --bootstrap-token-file exclude each other';
  if (options.ca !== undefined && options['ca-env'] !== undefined) return '--ca and --ca-env exclude each other';
  if ((cert === undefined) !== (key === undefined)) return '--cert and --key need each other';
  if ((snapshot === undefined) !== (sealed === undefined)) return '--snapshot and --snapshot-key need each other';
  if (sidecar && snapshot !== undefined) return '--sidecar excludes --snapshot: a sidecar keeps no secrets on disk';
  if (!sidecar && options['app-port'] !== undefined) return '--app-port is for a --sidecar';
  return null;
}

function file(description: string) {
  return { valueName: 'FILE', description, optional: true, read: readPath } as const;
}

function readPath(text: string): Reading<string> {
  return text === '' ? { problem: 'must not be empty' } : { value: text };
}

function readVariable(text: string): Reading<string> {
  const isGood = /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
  return isGood ? { value: text } : { problem: `must be the name of an environment variable, not '${text}'` };
}

function readControllers(text: string): Reading<readonly (Address & { readonly host: string })[]> {
  const controllers: (Address & { readonly host: string })[] = [];
  for (const one of text.split(',')) {
    const address = readAddress(one);
    if ('problem' in address) return address;
    const { host, port } = address.value;
    if (host === undefined || port === 0) return { problem: `must be HOST:PORT with a host and a port, not '${one}'` };
    controllers.push({ host, port });
  }
  return { value: controllers };
}

function readAppPorts(text: string): Reading<readonly number[]> {
  const ports = text.split(',').map((port) => (/^\d{1,5}$/.test(port) ? Number(port) : 0));
  const areGood = ports.every((port) => port > 0 && port < 65_536);
  return areGood ? { value: ports } : { problem: `must be a port, or several with commas between, not '${text}'` };
}

function readName(text: string): Reading<string> {
  const isGood = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text);
  return isGood ? { value: text } : { problem: `must be letters, digits, dots and dashes, not '${text}'` };
}

function readLabel(text: string): Reading<readonly [string, string]> {
  const found = /^([A-Za-z0-9][\w./-]*)=([\w.-]*)$/.exec(text);
  return found === null ? { problem: `must be NAME=VALUE, not '${text}'` } : { value: [found[1]!, found[2]!] };
}
