import { systemOption } from '../options/system-property.ts';
import { defineCommand } from './command.ts';

/** Judges configurations without running them. */
export const checkCommand = defineCommand({
  name: 'check',
  summary: 'check a configuration without running it',
  description:
    'Checks instance directories and single route files with the code that would run them, and prints every problem ' +
    'with its position. A route file is checked as part of the instance that contains it, or by itself if there is none. ' +
    'Kubernetes manifests (files, directories, and - for the standard input) are checked together, as in one cluster: ' +
    'Routes, SecretStores and AuditServices, with the Secrets and the ConfigMap of the base configuration ' +
    'that are among them. ' +
    'The exit code is 0 when there are no errors (warnings may be printed), and 1 otherwise.',
  arguments: [
    {
      name: 'PATH',
      description: 'Instance directories, configuration directories, route files and manifests.',
      many: true,
    },
  ],
  options: {
    json: { flag: true, description: 'Print one JSON object with all problems instead of text.' },
    namespace: {
      valueName: 'NAME',
      description: 'Namespace of manifests that name none.',
      default: 'default',
      read: (text) => ({ value: text }),
    },
    base: {
      valueName: 'NAMESPACE/NAME',
      description: 'ConfigMap among the manifests with the base configuration; by default the only candidate.',
      optional: true,
      read: (text) => (/^[^/]+\/[^/]+$/.test(text) ? { value: text } : { problem: 'must be NAMESPACE/NAME' }),
    },
    system: systemOption,
  },
  examples: [
    { command: 'gatewarden check /etc/gatewarden', effect: 'Check admin.json, config.json and every route.' },
    { command: 'gatewarden check routes/10-orders.json --json', effect: 'Check one route; print JSON for programs.' },
    {
      command: 'gatewarden check manifests/',
      effect: 'Check the manifests that `kubectl apply -f manifests/` would apply.',
    },
  ],
  async run({ json, system, namespace, base }, { PATH: paths }) {
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { checkPaths } = await import('../actions/check-paths.ts');
    const { checkReport } = await import('../output/check-report.ts');
    const { withParts } = await import('../../contract/document/late-part.ts');
    const options = { system: Object.fromEntries(system), namespace, base: base ?? null };
    const findings = await withParts(() => checkPaths(paths, options));
    const { text, isSound } = checkReport(findings);
    if (!json) {
      process.stdout.write(text);
      return isSound ? 0 : 1;
    }
    const { omittedProblems, shownPath, verdictRecords } = await import('../output/verdict-text.ts');
    const { problemRecord } = await import('../../contract/problem-text.ts');
    const { tokenProblems, manifests } = findings;
    const verdicts = [...findings.verdicts, ...(manifests?.verdicts ?? [])];
    const problems = [...tokenProblems.map((problem) => problemRecord(problem)), ...verdicts.flatMap(verdictRecords)];
    const files = findings.verdicts.length + (manifests?.files ?? 0);
    const more = manifests === null ? {} : { resources: manifests.resources, skipped: manifests.skipped };
    const omitted = verdicts.flatMap((verdict) => {
      const left = omittedProblems(verdict);
      return left === 0 ? [] : [{ file: shownPath(verdict.file.path), problems: left }];
    });
    const rest = omitted.length === 0 ? {} : { omitted };
    process.stdout.write(`${JSON.stringify({ sound: isSound, files, ...more, problems, ...rest }, null, 2)}\n`);
    return isSound ? 0 : 1;
  },
});
