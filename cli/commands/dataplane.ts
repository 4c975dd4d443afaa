import { availableParallelism, hostname } from 'node:os';
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
  description: 'Label by which Routes select this data plane, if its credential allows it; Pods have their own labels.',
  read: readLabel,
} as const satisfies RepeatedOption<readonly [string, string]>;

/** A plane that serves what a controller sends. */
export const dataplaneCommand = defineCommand({
  name: 'dataplane',
  summary: 'serve the configuration that a controller sends',
  description:
    'Connects to a controller, serves the configuration that it sends, and applies its updates. It is alive at once, and ready when the ' +
    'first configuration is in effect. Losing the controller costs no request: the last configuration stays in effect, and with ' +
    '--snapshot also after a restart. SIGTERM and SIGINT stop accepting and let running requests finish; ' +
    'a second signal ends the process at once.',
  options: {
    controller: {
      valueName: 'HOST:PORT[,…]',
      description:
        'Controllers to connect to, any of them; a name may resolve to several. The connection always uses TLS.',
      read: readControllers,
    },
    ca: file(
      'CA certificates that signed the certificates of controllers, read again for every connection; by default those that the system trusts.',
    ),
    'ca-env': {
      valueName: 'NAME',
      description: 'Environment variable with these certificates in PEM, instead of --ca.',
      optional: true,
      read: readVariable,
    },
    'token-file': file(
      'Token that identifies this data plane, read again for every connection; by default ' +
        '/var/run/secrets/tokens/gatewarden/token, as in Pods, unless there is another credential.',
    ),
    'bootstrap-token-file': file('Token of a data plane outside of a cluster, instead of --token-file.'),
    cert: file('Client certificate chain (PEM) that identifies this data plane; needs --key.'),
    key: file('Private key of --cert, in PEM.'),
    snapshot: {
      ...file(
        'Directory for an encrypted copy of the configuration, used when no controller is reachable at start; by default none.',
      ),
      valueName: 'DIR',
    },
    'snapshot-key': file(
      'File with 32 random bytes or more, the encryption key of --snapshot; only data planes of the same group may have it.',
    ),
    'snapshot-max-age': {
      valueName: 'DURATION',
      description: 'Maximum age of a saved snapshot, counted from the last contact with a controller.',
      default: '168h',
      read: readDuration,
    },
    'unready-after': {
      valueName: 'DURATION',
      description:
        'Time without contact with a controller after which the data plane reports not ready, so that load balancers take it ' +
        'out; it keeps serving. By default it stays ready.',
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
      description: 'Name of this data plane outside of a cluster; by default the host name.',
      optional: true,
      read: readName,
    },
    zone: {
      valueName: 'NAME',
      description:
        'Zone of this data plane: endpoints of Services that have a hint for it come first. By default, and if empty, ' +
        'hints have no effect.',
      optional: true,
      read: (text) => ({ value: text }),
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
      effect: 'Serve in a cluster, with the token of the Pod.',
    },
    {
      command: 'gatewarden dataplane --controller ctl:9443 --bootstrap-token-file token --label tier=edge',
      effect: 'Serve outside of a cluster, as a data plane that Routes select by a label.',
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
    const { units = options.sidecar ? 1 : undefined } = options;
    if ((units ?? availableParallelism()) > 1) spare.prepare(); // it takes longest to load, and does so while this thread loads the rest
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { runDataplane } = await import('../actions/run-dataplane.ts');
    const { 'bootstrap-token-file': bootstrap, 'token-file': token, cert, name, label, system, ...rest } = options;
    const byDefault = cert === undefined ? '/var/run/secrets/tokens/gatewarden/token' : undefined;
    return runDataplane({
      ...rest,
      units,
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
    return '--token-file and --bootstrap-token-file cannot be given together';
  if (options.ca !== undefined && options['ca-env'] !== undefined) return '--ca and --ca-env cannot be given together';
  if ((cert === undefined) !== (key === undefined)) return '--cert and --key must be given together';
  if ((snapshot === undefined) !== (sealed === undefined))
    return '--snapshot and --snapshot-key must be given together';
  if (sidecar && snapshot !== undefined)
    return '--sidecar and --snapshot cannot be given together: a sidecar keeps no secrets on disk';
  if (!sidecar && options['app-port'] !== undefined) return '--app-port needs --sidecar';
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
