import { canonicalJson } from '../contract/document/canonical.ts';
import type { Snapshot } from '../controller/compile/snapshot.ts';

/** A snapshot as canonical JSON: the same snapshot is the same text. */
export function snapshotText({ revision, base, routes, defaults }: Snapshot): string {
  return canonicalJson({ revision, base, routes: routes.map((route) => ({ ...route })), defaults });
}
