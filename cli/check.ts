import { defineCommand } from './command.ts';
import { systemOption } from './system-property.ts';

/** Judges configurations without running them. */
export const checkCommand = defineCommand({
  name: 'check',
  summary: 'find every problem of a configuration without running it',
  description:
    'Checks instance directories and single route files with the code that would run them, and prints every problem ' +
    'with its place. A route file is checked as part of the instance it lies in, or by itself when it lies in none. ' +
    'Ends with 0 when nothing is wrong (warnings may be printed), and with 1 otherwise.',
  arguments: [
    { name: 'PATH', description: 'Instance directories, configuration directories and route files.', many: true },
  ],
  options: {
    json: { flag: true, description: 'Print one JSON object with all problems instead of text.' },
    system: systemOption,
  },
  examples: [
    { command: 'gatewarden check /etc/gatewarden', effect: 'Check admin.json, config.json and every route.' },
    { command: 'gatewarden check routes/10-orders.json --json', effect: 'Check one route; print what programs read.' },
  ],
  async run({ json, system }, { PATH: paths }) {
    // Loaded here and not at the top, so that help and usage errors need not wait for the engine.
    const { checkPaths } = await import('./check-paths.ts');
    const { checkReport } = await import('./check-report.ts');
    const findings = checkPaths(paths, Object.fromEntries(system));
    const { text, isSound } = checkReport(findings);
    if (!json) {
      process.stdout.write(text);
      return isSound ? 0 : 1;
    }
    const { verdictRecords } = await import('./verdict-text.ts');
    const { problemRecord } = await import('../contract/problem-text.ts');
    const { verdicts, tokenProblems } = findings;
    const problems = [...tokenProblems.map((problem) => problemRecord(problem)), ...verdicts.flatMap(verdictRecords)];
    process.stdout.write(`${JSON.stringify({ sound: isSound, files: verdicts.length, problems }, null, 2)}\n`);
    return isSound ? 0 : 1;
  },
});
