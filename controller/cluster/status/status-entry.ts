import { GROUP, type Resource, resourceKey, resourcePlurals, VERSION } from '../../../contract/resources/resource.ts';
import { isOlder } from '../../../contract/snapshot.ts';
import type { ResourceVerdict } from '../../compile/resources/resource-verdict.ts';
import type { ResourcePlace } from '../api/resource-path.ts';
import { readStatus, type Shown, saysTheSame } from './resource-status.ts';

/** State of the status of one object. */
export interface StatusEntry {
  readonly verdict: ResourceVerdict;
  /** What the API showed last by our own doing, which its watch may not have told yet. */
  written: Shown | null;
  failures: number;
  /** What planes know it by, as `routeKeyText`; null when they do not. */
  readonly route: string | null;
}

/** Newest known status in the API. */
export function shownOf({ verdict: { resource }, written }: StatusEntry): Shown {
  if (written !== null && isOlder(resource, written)) return written;
  const { uid, resourceVersion, generation } = resource;
  return { uid, resourceVersion, generation, status: readStatus(resource.status) };
}

/** Whether somebody else changed what this controller wrote. @param shown what the API shows now */
export function isWrittenByOthers({ written }: StatusEntry, shown: Shown): boolean {
  return written !== null && shown !== written && !saysTheSame(written.status, shown.status);
}

/** Where the API has it. */
export function placeOf({ kind, namespace, name }: Resource): ResourcePlace {
  return { group: GROUP, version: VERSION, plural: resourcePlurals[kind], namespace, name };
}

/** Key that is unique over objects of all kinds. */
export function entryKey(resource: Resource): string {
  return `${resource.kind} ${resourceKey(resource)}`;
}

/** Whether the same is to be said of the same object. */
export function isSameVerdict(a: ResourceVerdict, b: ResourceVerdict): boolean {
  if (a === b) return true;
  return (
    a.resource === b.resource &&
    a.route === b.route &&
    a.remembered === b.remembered &&
    a.lastGood === b.lastGood &&
    a.serves === b.serves &&
    a.servingGeneration === b.servingGeneration &&
    a.dataPlanes === b.dataPlanes &&
    a.certificates === b.certificates &&
    isSameCondition(a.accepted, b.accepted) &&
    isSameCondition(a.resolvedRefs, b.resolvedRefs)
  );
}

function isSameCondition(a: ResourceVerdict['accepted' | 'resolvedRefs'], b: typeof a): boolean {
  return a.status === b.status && a.reason === b.reason && a.message === b.message;
}
