import { problemText } from '../contract/problem-text.ts';
import { type Compilation, nothingGood } from '../controller/compile/compiler.ts';
import { hasErrors } from '../controller/compile/verdict.ts';
import { compileSource } from '../controller/live-instance.ts';
import { givenLayout, type Instance, openInstance } from './open-instance.ts';
import { verdictText } from './verdict-text.ts';

/** An instance compiled once, whose problems have been printed to the standard error. */
export interface CompiledOnce extends Compilation {
  readonly instance: Instance;
  readonly isSound: boolean;
}

/** @throws Error when there is no such directory. */
export function compileOnce(path: string | undefined, system: Readonly<Record<string, string>>): CompiledOnce {
  const instance = openInstance(givenLayout(path, system), { system });
  const compilation = compileSource(instance.compiler, instance.source, nothingGood);
  instance.source.close();
  const { admin, tokenProblems } = instance;
  const verdicts = [...(admin.verdict === null ? [] : [admin.verdict]), ...compilation.verdicts];
  const problems = [...tokenProblems, ...verdicts.flatMap((verdict) => verdict.problems)];
  const texts = [...tokenProblems.map((problem) => problemText(problem)), verdictText(verdicts)];
  const text = texts.filter((one) => one !== '').join('\n\n');
  if (text !== '') process.stderr.write(`${text}\n`);
  return { ...compilation, verdicts, instance, isSound: !hasErrors(problems) };
}
