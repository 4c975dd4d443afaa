import { canonicalJson } from '../../contract/document/canonical.ts';
import type { JsonValue } from '../../contract/document/json-value.ts';
import { hideSecrets } from '../../contract/hiding/hidden-secrets.ts';
import type { Snapshot } from '../../controller/compile/snapshot.ts';

/** A snapshot as canonical JSON, with stars for secrets: the same snapshot is the same text. */
export function snapshotText({ revision, base, routes, defaults }: Snapshot): string {
  const text = canonicalJson(toJson({ revision, base, routes, defaults }));
  return hideSecrets(text);
}

/** Interfaces are no records to the compiler, although these hold nothing else. */
function toJson(value: Snapshot): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
