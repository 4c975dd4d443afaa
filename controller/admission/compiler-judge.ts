import { type Problem, pathText } from '../../contract/problem.ts';
import { readResource } from '../../contract/resources/read-resource.ts';
import type { Compiler } from '../compile/compiler.ts';
import type { AdmissionJudge, AdmissionOpinion } from './admission-judge.ts';

/** Judges by what the compiler would say, with everything else as the compiler saw it last. */
export function compilerJudge(compiler: Pick<Compiler, 'judgeOne'>): AdmissionJudge {
  return {
    judge({ object, oldObject, kind, namespace }): AdmissionOpinion | null {
      const { resource, problems } = readResource(object ?? oldObject, { kind, namespace });
      if (resource === null) return { problems, notes: [], breaks: [] };
      const operation = object === null ? 'delete' : 'set';
      const opinion = compiler.judgeOne({ operation, resource });
      if (opinion === null || operation === 'delete') return opinion;
      return { ...opinion, problems: united(opinion.problems, problems) };
    },
  };
}

/** What reading found and judging did not find again. */
function united(judged: readonly Problem[], read: readonly Problem[]): Problem[] {
  const mark = ({ code, path }: Problem): string => `${code} ${pathText(path)}`;
  const known = new Set(judged.map(mark));
  return [...judged, ...read.filter((problem) => !known.has(mark(problem)))];
}
