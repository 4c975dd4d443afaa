import { hostname } from 'node:os';
import { endAtStopSignal } from '../actions/stop-signals.ts';
import { type Address, readAddress } from '../options/address.ts';
import { logFormatOption, logLevelOption } from '../options/plane-options.ts';
import { systemOption } from '../options/system-property.ts';
import { defineCommand, type Reading } from './command.ts';

/** What follows a cluster and tells planes. */
export const controllerCommand = defineCommand({
  name: 'controller',
  summary: 'follow the Routes of a cluster and bring them to planes',
  description:
    'Follows the Route, SecretStore and AuditService resources of a cluster and a base configuration in a ConfigMap ' +
    '(config.json, admin.json and trust.json), compiles them, brings the result to the planes that connect, and writes ' +
    'into the status of each resource what became of it. Several controllers of one namespace share the work: all of ' +
    'them serve planes, and one writes. docs/operating.md says what it needs and what it promises.',
  options: {
    kubeconfig: {
      valueName: 'FILE',
      description:
        'How to reach the API server; by default the ServiceAccount of the Pod, or else KUBECONFIG or ~/.kube/config.',
      optional: true,
      read: readText,
    },
    namespace: {
      valueName: 'NAME',
      description: 'Namespace of the base configuration, the Lease and the authority; by default that of the Pod.',
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
        'Secret for the last good base configuration, which serves while the newest one is not valid; filled, or made.',
      default: 'gatewarden-base',
      read: readText,
    },
    'certificates-secret': {
      valueName: 'NAME',
      description:
        'Secret with the authority that all controllers share; filled if it is empty, made if there is none.',
      default: 'gatewarden-certificates',
      read: readText,
    },
    'authority-configmap': {
      valueName: 'NAME',
      description: 'ConfigMap whose ca.crt planes are to trust; filled, or made.',
      default: 'gatewarden-authority',
      read: readText,
    },
    lease: {
      valueName: 'NAME',
      description: 'Lease that says which of several controllers writes; filled, or made.',
      default: 'gatewarden-controller',
      read: readText,
    },
    'watch-namespaces': {
      valueName: 'all|NAME,…|SELECTOR',
      description: 'Namespaces whose resources are followed: all, a list, or a label selector such as team=shop.',
      default: 'all',
      read: readScope,
    },
    listen: {
      valueName: 'ADDR',
      description: 'Where planes and other controllers connect.',
      default: ':9443',
      read: readAddress,
    },
    advertise: {
      valueName: 'HOST',
      description: 'Name or address under which other controllers reach this one; by default the name of the machine.',
      optional: true,
      read: readText,
    },
    'server-names': {
      valueName: 'NAME,…',
      description: 'Names and addresses under which planes reach controllers, for the certificate.',
      default: 'gatewarden-controller,localhost,127.0.0.1',
      read: readNames,
    },
    'tls-cert': path('Certificate with its chain, in PEM, in place of a self-made one; needs --tls-key and --tls-ca.'),
    'tls-key': path('Key of that certificate.'),
    'tls-ca': path('Authority of the certificates of all controllers.'),
    'outside-planes': path(
      'JSON file that says which planes outside of the cluster are let in, with which credential.',
    ),
    admin: {
      valueName: 'ADDR|off',
      description: 'Address of health and metrics; on loopback also of status and dump.',
      default: '127.0.0.1:9090',
      read: readOptionalAddress,
    },
    'secure-admin': {
      valueName: 'ADDR|off',
      description: 'The same over TLS: status, dump and monitoring for whom the cluster lets get these paths.',
      default: 'off',
      read: readOptionalAddress,
    },
    'admin-socket': {
      valueName: 'FILE|off',
      description:
        'Unix socket of status and dump, for whoever may run programs here (kubectl exec); by default in a Pod one in ' +
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
      description: 'ValidatingWebhookConfiguration that is kept up to date.',
      default: 'gatewarden',
      read: readText,
    },
    'webhook-owns': {
      valueName: 'configuration|ca-bundle',
      description: 'What is kept up to date: all of the configuration, or the caBundle of one that is there.',
      default: 'configuration',
      read: readOwned,
    },
    'failure-policy': {
      valueName: 'Ignore|Fail',
      description: 'Whether resources pass when the webhook cannot be asked; the compiler judges them again anyway.',
      default: 'Ignore',
      read: readFailurePolicy,
    },
    'sidecar-settings': path(
      'JSON file with what sidecars are made of: with it the webhook puts them into Pods too; needs --webhook.',
    ),
    'injector-configuration': {
      valueName: 'NAME',
      description: 'MutatingWebhookConfiguration for sidecars; the caBundle of its webhooks is kept up to date.',
      default: 'gatewarden',
      read: readText,
    },
    identity: {
      valueName: 'NAME',
      description: 'Name of this controller, unique in its namespace; by default the name of the machine.',
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
      process.stderr.write('gatewarden controller: --tls-cert, --tls-key and --tls-ca need each other\n');
      return 2;
    }
    if (options['sidecar-settings'] !== undefined && options.webhook === null) {
      process.stderr.write('gatewarden controller: --sidecar-settings needs --webhook\n');
      return 2;
    }
    endAtStopSignal();
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { runController } = await import('../actions/run-controller.ts');
    const name = options.identity ?? hostname();
    return runController({ ...options, name, system: Object.fromEntries(options.system) });
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
