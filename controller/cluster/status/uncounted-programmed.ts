import type { ResourceVerdict } from '../../compile/resources/resource-verdict.ts';
import type { Programmed } from './programmed.ts';
import type { ResourceStatus } from './resource-status.ts';

/** The column while planes are being counted. */
export const UNCOUNTED = '?';

/** Reasons that depend on which planes there are, and not on the verdict alone. */
const COUNTED: ReadonlySet<string> = new Set(['Programmed', 'Pending', 'PlaneRefused', 'NoPlanes', 'GroupNotGranted']);

/**
 * How far a Route has come, as far as a new leader can know that has not yet heard of all planes. What an earlier leader
 * wrote stays if it was said of the same version; anything else is unknown, in the condition and in the column alike.
 * @param counted by the planes that are known so far
 */
export function uncountedProgrammed(
  verdict: ResourceVerdict,
  counted: Programmed,
  shown: ResourceStatus | null,
): Programmed {
  // What requests meet is known without planes, and must not wait.
  if (!COUNTED.has(counted.reason)) return counted;
  const before = shown?.conditions.find(({ type }) => type === 'Programmed');
  const isSameVersion =
    before?.observedGeneration === verdict.resource.generation &&
    shown?.lastGood?.hash === verdict.route?.hash &&
    COUNTED.has(before.reason);
  if (before !== undefined && isSameVersion && shown?.programmed !== undefined) {
    return { ...before, status: before.status === 'True', text: shown.programmed };
  }
  return { status: false, reason: 'Pending', message: 'waiting for reports of the data planes', text: UNCOUNTED };
}
