import { canonicalJson } from '../contract/document/canonical.ts';
import { hideSecrets } from '../contract/document/hidden-secrets.ts';
import type { Snapshot } from '../controller/compile/snapshot.ts';

/** A snapshot as canonical JSON, with stars for secrets: the same snapshot is the same text. */
export function snapshotText({ revision, base, routes, defaults }: Snapshot): string {
  const text = canonicalJson({ revision, base, routes: routes.map((route) => ({ ...route })), defaults });
  return hideSecrets(text);
}
