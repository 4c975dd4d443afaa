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
    const { verdictRecords, verdictText } = await import('./verdict-text.ts');
    const { problemRecord, problemText } = await import('../contract/problem-text.ts');
    const { hasErrors } = await import('../controller/compile/verdict.ts');
    const { verdicts, tokenProblems } = checkPaths(paths, Object.fromEntries(system));
    const problems = [...tokenProblems, ...verdicts.flatMap((verdict) => verdict.problems)];
    const isSound = !hasErrors(problems);
    if (json) {
      const records = [...tokenProblems.map((problem) => problemRecord(problem)), ...verdicts.flatMap(verdictRecords)];
      process.stdout.write(
        `${JSON.stringify({ sound: isSound, files: verdicts.length, problems: records }, null, 2)}\n`,
      );
      return isSound ? 0 : 1;
    }
    const texts = [...tokenProblems.map((problem) => problemText(problem)), verdictText(verdicts)];
    const text = texts.filter((one) => one !== '').join('\n\n');
    if (text !== '') process.stdout.write(`${text}\n\n`);
    const count = (severity: string): number => problems.filter((problem) => problem.severity === severity).length;
    const [errors, warnings] = [count('error'), count('warning')];
    process.stdout.write(
      `${files(verdicts.length)} checked: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}\n`,
    );
    return isSound ? 0 : 1;
  },
});

function files(count: number): string {
  return counted(count, 'file');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
