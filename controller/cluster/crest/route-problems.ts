import type { JsonObject } from '../../../contract/document/json-value.ts';
import { problemRecord } from '../../../contract/problem-text.ts';
import type { AdmissionJudge } from '../../admission/admission-judge.ts';
import { metadataOf } from '../../admission/review-envelope.ts';
import type { RouteProblem } from '../../manage/judged-route.ts';
import { unavailable } from './caller-review.ts';

/** Returns the problems of a Route as the webhook finds them, with paths in its document. @throws CrestError 503 before the first list */
export function judgedProblems(judge: AdmissionJudge, object: JsonObject): RouteProblem[] {
  const { namespace, name } = metadataOf(object);
  const request = { uid: '', operation: 'CREATE', kind: 'Route', user: '', object, oldObject: null } as const;
  const opinion = judge.judge({ ...request, namespace: String(namespace), name: String(name) });
  if (opinion === null) throw unavailable('the controller has not read the cluster yet');
  return opinion.problems.map((problem) => {
    const inDocument = problem.path[0] === 'spec' ? problem.path.slice(1) : problem.path;
    const { severity, code, path, message, hint } = problemRecord({ ...problem, path: inDocument });
    return { severity, code, path, message, ...(hint === undefined ? {} : { hint }) };
  });
}
