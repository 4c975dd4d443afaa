import { defineCommand } from './command.ts';

/** The place of what turns a directory into resources of a cluster. */
export const exportCommand = defineCommand({
  name: 'export',
  summary: 'write a configuration as Kubernetes resources (not available in this version)',
  description:
    'Will write the configuration of an instance directory as Route and SecretStore manifests. This version has no ' +
    'such resources: the command says so and ends with 1. The version that runs in a cluster brings them.',
  arguments: [{ name: 'DIR', description: 'Instance directory, or its configuration directory.' }],
  options: {},
  examples: [{ command: 'gatewarden export /etc/gatewarden', effect: 'Say that this version cannot do it.' }],
  async run() {
    throw new Error('is known, but not available in this version: it comes with the version that runs in a cluster');
  },
});
