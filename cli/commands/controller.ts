import { hostname } from 'node:os';
import { endAtStopSignal } from '../actions/stop-signals.ts';
import { type Address, readAddress } from '../options/address.ts';
import { consoleProvider, consoleProviderOptions } from '../options/console-provider.ts';
import { logFormatOption, logLevelOption } from '../options/plane-options.ts';
import { systemOption } from '../options/system-property.ts';
import { defineCommand, type Reading } from './command.ts';

/** Versions of one Route: they are in one object of the cluster. */
const MOST_VERSIONS = 50;

/** Command that follows a cluster and updates its data planes. */
export const controllerCommand = defineCommand({
  name: 'controller',
  summary: 'compile the Routes of a cluster and send them to data planes',
  description:
    'Watches the Route, SecretStore and AuditService resources of a cluster and a base configuration in a ConfigMap ' +
    '(config.json, admin.json and trust.json), compiles them, sends the result to the data planes that connect, and writes ' +
    'the outcome into the status of each resource. Several controllers of one namespace share the work: all of ' +
    'them serve data planes, and the leader writes. See docs/operating.md for requirements and guarantees.',
  options: {
    kubeconfig: {
      valueName: 'FILE',
      description:
        'kubeconfig of the API server; by default the ServiceAccount of the Pod, or else KUBECONFIG or ~/.kube/config.',
      optional: true,
      read: readText,
    },
    namespace: {
      valueName: 'NAME',
      description: 'Namespace of the base configuration, the Lease and the CA; by default that of the Pod.',
      optional: true,
      read: readText,
    },
    base: {
      valueName: 'NAME',
      description: 'ConfigMap with the base configuration.',
      default: 'gatewarden',
      read: readText,
    },
    'base-secret': {
      valueName: 'NAME',
      description:
        'Secret for the last good base configuration, which is used while the newest one is not valid; created if missing.',
      default: 'gatewarden-base',
      read: readText,
    },
    'certificates-secret': {
      valueName: 'NAME',
      description: 'Secret with the CA key that all controllers share; created if missing, filled if empty.',
      default: 'gatewarden-certificates',
      read: readText,
    },
    'session-secret': {
      valueName: 'NAME',
      description:
        'Secret with the keys that seal sessions of routes without a session manager; created if missing, filled if empty.',
      default: 'gatewarden-sessions',
      read: readText,
    },
    'authority-configmap': {
      valueName: 'NAME',
      description: 'ConfigMap whose ca.crt data planes trust; created if missing.',
      default: 'gatewarden-authority',
      read: readText,
    },
    lease: {
      valueName: 'NAME',
      description: 'Lease that elects the leader among the controllers; created if missing.',
      default: 'gatewarden-controller',
      read: readText,
    },
    'watch-namespaces': {
      valueName: 'all|NAME,…|SELECTOR',
      description: 'Namespaces to watch: all, a list, or a label selector such as team=shop.',
      default: 'all',
      read: readScope,
    },
    listen: {
      valueName: 'ADDR',
      description: 'Address for data planes and other controllers.',
      default: ':9443',
      read: readAddress,
    },
    advertise: {
      valueName: 'HOST',
      description: 'Name or address at which other controllers reach this one; by default the host name.',
      optional: true,
      read: readText,
    },
    'server-names': {
      valueName: 'NAME,…',
      description: 'Names and addresses at which data planes reach controllers, for the certificate.',
      default: 'gatewarden-controller,localhost,127.0.0.1',
      read: readNames,
    },
    'tls-cert': path('Certificate chain in PEM, instead of a generated certificate; needs --tls-key and --tls-ca.'),
    'tls-key': path('Private key of --tls-cert, in PEM.'),
    'tls-ca': path('CA certificate that signed the certificates of all controllers.'),
    'outside-planes': path(
      'JSON file with the data planes outside of the cluster that are admitted, and their credentials.',
    ),
    admin: {
      valueName: 'ADDR|off',
      description: 'Address of health and metrics; on loopback also of status and dump.',
      default: '127.0.0.1:9090',
      read: readOptionalAddress,
    },
    'secure-admin': {
      valueName: 'ADDR|off',
      description: 'The same over TLS: status, dump and monitoring for users whose RBAC allows get on these paths.',
      default: 'off',
      read: readOptionalAddress,
    },
    'api-rate': {
      valueName: 'N|off',
      description:
        'Requests per second that each caller may send to Common REST (/api) on --secure-admin; off does not serve it.',
      default: '100',
      read: readRate,
    },
    'route-versions': {
      valueName: 'N|off',
      description:
        'Versions of each Route to keep in the cluster, as RouteHistory resources, for Common REST and the console; off ' +
        'keeps none.',
      default: '20',
      read: readVersions,
    },
    ...consoleProviderOptions,
    'admin-socket': {
      valueName: 'FILE|off',
      description:
        'Unix socket of status and dump, for users who can run programs here (kubectl exec); by default, in a Pod, one in ' +
        'the directory for temporary files.',
      optional: true,
      read: readText,
    },
    webhook: {
      valueName: 'ADDR|off',
      description: 'Address of the validating admission webhook.',
      default: 'off',
      read: readOptionalAddress,
    },
    'webhook-service': {
      valueName: 'NAME:PORT',
      description: 'Service of this namespace in front of the webhook; by default the API server calls --advertise.',
      optional: true,
      read: readService,
    },
    'webhook-configuration': {
      valueName: 'NAME',
      description: 'ValidatingWebhookConfiguration that the controller keeps up to date.',
      default: 'gatewarden',
      read: readText,
    },
    'webhook-owns': {
      valueName: 'configuration|ca-bundle',
      description:
        'What the controller keeps up to date: the whole configuration, or only the caBundle of an existing one.',
      default: 'configuration',
      read: readOwned,
    },
    'failure-policy': {
      valueName: 'Ignore|Fail',
      description:
        'Whether resources are admitted when the webhook is not reachable; the compiler validates them again in any case.',
      default: 'Ignore',
      read: readFailurePolicy,
    },
    'sidecar-settings': path(
      'JSON file with the settings of sidecars: with it the webhook also injects sidecars into Pods; needs --webhook.',
    ),
    'injector-configuration': {
      valueName: 'NAME',
      description: 'MutatingWebhookConfiguration for sidecars; the controller keeps its caBundle up to date.',
      default: 'gatewarden',
      read: readText,
    },
    identity: {
      valueName: 'NAME',
      description: 'Name of this controller, unique in its namespace; by default the host name.',
      optional: true,
      read: readText,
    },
    system: systemOption,
    'log-level': logLevelOption,
    'log-format': logFormatOption,
  },
  examples: [
    { command: 'gatewarden controller --webhook :8443', effect: 'Run in a Pod, with the admission webhook.' },
    {
      command: 'gatewarden controller --namespace gatewarden --watch-namespaces shop,bank',
      effect: 'Run outside of the cluster, with the kubeconfig of kubectl, for two namespaces.',
    },
  ],
  async run(options) {
    const given = [options['tls-cert'], options['tls-key'], options['tls-ca']];
    if (given.some((one) => one === undefined) && given.some((one) => one !== undefined)) {
      process.stderr.write('gatewarden controller: --tls-cert, --tls-key and --tls-ca must be given together\n');
      return 2;
    }
    if (options['sidecar-settings'] !== undefined && options.webhook === null) {
      process.stderr.write('gatewarden controller: --sidecar-settings needs --webhook\n');
      return 2;
    }
    const read = consoleProvider(options);
    if ('problems' in read) {
      for (const problem of read.problems) process.stderr.write(`gatewarden controller: ${problem}\n`);
      return 2;
    }
    endAtStopSignal();
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { runController } = await import('../actions/run-controller.ts');
    const name = options.identity ?? hostname();
    const { provider } = read;
    return runController({ ...options, name, provider, system: Object.fromEntries(options.system) });
  },
});

function path(description: string) {
  return { valueName: 'FILE', description, optional: true, read: readText } as const;
}

function readText(text: string): Reading<string> {
  return text === '' ? { problem: 'must not be empty' } : { value: text };
}

function readNames(text: string): Reading<readonly string[]> {
  const names = text.split(',').filter((name) => name !== '');
  return names.length === 0 ? { problem: 'must name at least one' } : { value: names };
}

/** A list of names has no sign that a label selector has. */
function readScope(text: string): Reading<'all' | readonly string[] | { readonly labelSelector: string }> {
  if (text === 'all') return { value: 'all' };
  if (/[=!() ]/.test(text)) return { value: { labelSelector: text } };
  return readNames(text);
}

function readOptionalAddress(text: string): Reading<Address | null> {
  return text === 'off' ? { value: null } : readAddress(text);
}

function readRate(text: string): Reading<number> {
  if (text === 'off') return { value: 0 };
  return /^[1-9]\d{0,5}$/.test(text)
    ? { value: Number(text) }
    : { problem: `must be 1 to 999999, or off, not '${text}'` };
}

function readVersions(text: string): Reading<number> {
  if (text === 'off') return { value: 0 };
  const isNumber = /^[1-9]\d?$/.test(text) && Number(text) <= MOST_VERSIONS;
  return isNumber ? { value: Number(text) } : { problem: `must be 1 to ${MOST_VERSIONS}, or off, not '${text}'` };
}

function readService(text: string): Reading<{ readonly name: string; readonly port: number }> {
  const [, name, digits] = /^([a-z0-9-]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (name === undefined || port < 1 || port > 65_535) return { problem: `must be NAME:PORT, not '${text}'` };
  return { value: { name, port } };
}

function readFailurePolicy(text: string): Reading<'Ignore' | 'Fail'> {
  if (text === 'Ignore' || text === 'Fail') return { value: text };
  return { problem: `must be Ignore or Fail, not '${text}'` };
}

function readOwned(text: string): Reading<'configuration' | 'ca-bundle'> {
  if (text === 'configuration' || text === 'ca-bundle') return { value: text };
  return { problem: `must be configuration or ca-bundle, not '${text}'` };
}
