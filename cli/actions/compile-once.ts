import { withParts } from '../../contract/document/late-part.ts';
import type { Problem } from '../../contract/problem.ts';
import { problemText } from '../../contract/problem-text.ts';
import type { Compilation } from '../../controller/compile/compiler.ts';
import { nothingGood } from '../../controller/compile/last-good.ts';
import { hasErrors } from '../../controller/compile/verdict.ts';
import { compileSource } from '../../controller/live-instance.ts';
import { counted } from '../output/check-report.ts';
import { verdictText } from '../output/verdict-text.ts';
import { allVerdicts, givenLayout, type Instance, openInstance } from './open-instance.ts';

/** An instance compiled once, whose errors have been printed to the standard error, and how many warnings there are. */
export interface CompiledOnce extends Compilation {
  readonly instance: Instance;
  readonly isSound: boolean;
}

/** @throws Error when there is no such directory. */
export async function compileOnce(
  path: string | undefined,
  system: Readonly<Record<string, string>>,
): Promise<CompiledOnce> {
  const instance = await withParts(() => openInstance(givenLayout(path, system), { system }));
  const compilation = await withParts(() => compileSource(instance.compiler.anew(), instance.source, nothingGood));
  instance.source.close();
  const { tokenProblems } = instance;
  const verdicts = allVerdicts(instance, compilation);
  const problems = [...tokenProblems, ...verdicts.flatMap((verdict) => verdict.problems)];
  const isError = ({ severity }: Problem): boolean => severity === 'error';
  const worst = verdicts.map((verdict) => ({ ...verdict, problems: verdict.problems.filter(isError) }));
  const texts = [...tokenProblems.filter(isError).map((problem) => problemText(problem)), verdictText(worst)];
  const warnings = problems.filter((problem) => !isError(problem)).length;
  if (warnings > 0) texts.push(`${counted(warnings, 'warning')}: see 'gatewarden check'`);
  const text = texts.filter((one) => one !== '').join('\n\n');
  if (text !== '') process.stderr.write(`${text}\n`);
  return { ...compilation, verdicts, instance, isSound: !hasErrors(problems) };
}
