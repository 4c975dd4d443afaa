import { systemOption } from '../options/system-property.ts';
import { defineCommand } from './command.ts';

const label = (text: string): { readonly value: string } | { readonly problem: string } =>
  /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(text)
    ? { value: text }
    : { problem: `must be a name as Kubernetes has them, not '${text}'` };

/** Turns an instance into resources of a cluster. */
export const exportCommand = defineCommand({
  name: 'export',
  summary: 'write a configuration as Kubernetes resources',
  description:
    'Writes the configuration of an instance directory as manifests: each route as a Route, config.json and admin.json ' +
    'as the ConfigMap of the base configuration, and the secret stores of routes as SecretStores. Routes of ' +
    'a cluster belong to tenants, who may do less than an operator: the manifests are checked as by `gatewarden check`, ' +
    'and the remaining work is printed to the standard error. The exit code is 0 when nothing is left to do, and 1 otherwise.',
  arguments: [{ name: 'DIR', description: 'Instance directory, or its configuration directory.' }],
  options: {
    namespace: { valueName: 'NAME', description: 'Namespace of the resources.', read: label },
    base: { valueName: 'NAME', description: 'Name of the ConfigMap.', default: 'gatewarden', read: label },
    out: {
      valueName: 'DIR',
      description: 'Directory for one file per resource, created if missing; by default all go to the standard output.',
      optional: true,
      read: (text) => ({ value: text }),
    },
    'include-secrets': {
      flag: true,
      description:
        'Write secrets in clear; otherwise Secrets are empty, and secrets in documents are replaced by stars.',
    },
    system: systemOption,
  },
  examples: [
    {
      command: 'gatewarden export /etc/gatewarden --namespace shop --out manifests',
      effect: 'Write manifests; print the remaining work.',
    },
  ],
  async run({ namespace, base, out, 'include-secrets': includesSecrets, system }, { DIR: path }) {
    const { exportInstance } = await import('../actions/export-instance.ts');
    const { checkManifests } = await import('../actions/check-manifests.ts');
    const { checkReport } = await import('../output/check-report.ts');
    const { withParts } = await import('../../contract/document/late-part.ts');
    const { mkdirSync, writeFileSync } = await import('node:fs');
    const { join, resolve } = await import('node:path');
    const settings = { system: Object.fromEntries(system), namespace };
    const { files, hasBase, remarks } = await withParts(() =>
      exportInstance(path, { ...settings, baseName: base, includesSecrets }),
    );
    const sources = [...files].map(([name, text]) => ({ path: resolve(out ?? '', name), content: Buffer.from(text) }));
    if (out === undefined) process.stdout.write([...files.values()].join('---\n'));
    else {
      mkdirSync(out, { recursive: true });
      for (const [name, text] of files) writeFileSync(join(out, name), text, { mode: 0o600 });
    }
    const manifests = await withParts(() =>
      checkManifests(sources, { ...settings, base: hasBase ? `${namespace}/${base}` : null }),
    );
    const { text, isSound } = checkReport({ verdicts: [], tokenProblems: [], manifests });
    const notes = remarks.map((remark) => `note: ${remark}\n`).join('');
    process.stderr.write(notes === '' ? text : `${notes}\n${text}`);
    return isSound && remarks.length === 0 ? 0 : 1;
  },
});
