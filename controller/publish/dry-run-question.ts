import { z } from 'zod';
import type { DescribedRequest } from '../../contract/channel.ts';
import { describedRequest } from '../../contract/channel-schema.ts';
import type { DryRun } from '../../contract/shown/dry-run.ts';
import { dryRun } from '../../contract/shown/dry-run-schema.ts';
import { errorText } from '../../platform/error-text.ts';
import type { PlaneFacts } from './plane-facts.ts';
import type { SelectablePlane } from './sessions/plane-selection.ts';

/** A dry run that somebody asks for. */
export interface DryRunQuestion {
  readonly request: DescribedRequest;
  /** Id of the one Route whose objects are shown; null if all are. */
  readonly route: string | null;
  /** Group, namespace and labels of data planes that may answer; a namespace of null is any. */
  readonly plane: SelectablePlane;
}

/**
 * Why there is no dry run: no data plane is connected, those that are make none, none is ready with the newest revision,
 * or one was asked and gave none.
 */
export type NoDryRun = (typeof FAILURES)[number];

const FAILURES = ['unconnected', 'older', 'behind', 'failed'] as const;

export type DryRunAnswer =
  | { readonly dryRun: DryRun }
  | { readonly failure: NoDryRun /** For people. */; readonly message: string };

const text = z.string();

/** A question of another controller. */
export const dryRunQuestion: z.ZodType<DryRunQuestion> = z.object({
  request: describedRequest,
  route: text.nullable(),
  plane: z.object({
    group: text,
    namespace: text.nullable(),
    labels: z.record(text, text),
    isSidecar: z.boolean(),
  }),
});

/** An answer of another controller. */
export const dryRunAnswer: z.ZodType<DryRunAnswer> = z.union([
  z.object({ dryRun }),
  z.object({ failure: z.enum(FAILURES).catch('failed'), message: text }),
]);

/** @throws Error for something else */
export function decodeDryRunAnswer(bytes: Uint8Array): DryRunAnswer {
  return dryRunAnswer.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

/** Answers the controller that asked when a dry run ended with an error. */
export function failedDryRun(error: unknown): DryRunAnswer {
  return { failure: 'failed', message: `the dry run failed: ${errorText(error)}` };
}

/** Whether a data plane is one of those that a question is for. */
export function isAskedFor(
  { identity }: Pick<PlaneFacts, 'identity'>,
  { plane }: Pick<DryRunQuestion, 'plane'>,
): boolean {
  const { group, namespace, labels, isSidecar } = identity;
  return (
    group === plane.group &&
    isSidecar === plane.isSidecar &&
    (plane.namespace === null || plane.namespace === namespace) &&
    Object.entries(plane.labels).every(([key, value]) => labels[key] === value)
  );
}

/** Whether a data plane takes requests and runs a revision. */
export function servesRevision({ pending, revision, lastReport }: PlaneFacts, newest: string | null): boolean {
  return pending === null && revision !== null && revision === newest && lastReport?.report.ready === true;
}

/** Answers a question for which no data plane can be asked. @param asked those that the question is for */
export function withoutPlane(asked: readonly PlaneFacts[], { group }: SelectablePlane): DryRunAnswer {
  if (asked.length === 0) {
    return { failure: 'unconnected', message: `no data plane of the group '${group}' is connected to a controller` };
  }
  if (!asked.some(({ explains }) => explains === true)) {
    return {
      failure: 'older',
      message: `the data planes of the group '${group}' are of an older version, which makes no dry runs`,
    };
  }
  return {
    failure: 'behind',
    message: `no data plane of the group '${group}' is ready and runs the newest revision yet`,
  };
}
