import { isJsonObject, type JsonObject } from '../../../contract/document/json-value.ts';
import { listOf, objectOf, textOf } from '../../../contract/document/lenient-parts.ts';
import type { SpecChange } from '../../../contract/resources/resource.ts';

/** Labels and annotations that tools put on objects which they keep as a source says. */
const MARKS: readonly { readonly key: string; readonly value?: string; readonly tool: string }[] = [
  { key: 'argocd.argoproj.io/tracking-id', tool: 'Argo CD' },
  { key: 'argocd.argoproj.io/instance', tool: 'Argo CD' },
  { key: 'kustomize.toolkit.fluxcd.io/name', tool: 'Flux' },
  { key: 'helm.toolkit.fluxcd.io/name', tool: 'Flux' },
  { key: 'objectset.rio.cattle.io/id', tool: 'Fleet' },
  { key: 'configmanagement.gke.io/managed', value: 'enabled', tool: 'Config Sync' },
  { key: 'kapp.k14s.io/app', tool: 'kapp' },
  { key: 'meta.helm.sh/release-name', tool: 'Helm' },
  { key: 'app.kubernetes.io/managed-by', value: 'Helm', tool: 'Helm' },
];

/** Field managers of the same tools. */
const MANAGERS: Readonly<Record<string, string>> = {
  'argocd-controller': 'Argo CD',
  'argocd-application-controller': 'Argo CD',
  'kustomize-controller': 'Flux',
  'helm-controller': 'Flux',
  fleetagent: 'Fleet',
  configsync: 'Config Sync',
  'kapp-server': 'kapp',
  helm: 'Helm',
  Terraform: 'Terraform',
  pulumi: 'Pulumi',
};

/** Returns the newest change of the spec of an object; null if its managed fields do not tell. */
export function specChangeOf(raw: JsonObject): SpecChange | null {
  let newest: SpecChange | null = null;
  for (const { manager, time } of specManagers(raw)) {
    if (time !== '' && (newest === null || time >= newest.at)) newest = { at: time, manager };
  }
  return newest;
}

/** Returns the tool that keeps an object as its source says, and would undo a change made elsewhere; null for none. */
export function delivererOf(raw: JsonObject): string | null {
  const metadata = objectOf(raw['metadata']);
  const marks = { ...objectOf(metadata['labels']), ...objectOf(metadata['annotations']) };
  const mark = MARKS.find(({ key, value }) => (value === undefined ? textOf(marks[key]) !== '' : marks[key] === value));
  if (mark !== undefined) return mark.tool;
  for (const { manager } of specManagers(raw)) {
    const tool = Object.hasOwn(MANAGERS, manager) ? MANAGERS[manager] : undefined;
    if (tool !== undefined) return tool;
  }
  return null;
}

/** Managers of fields of the spec. */
function* specManagers(raw: JsonObject): Generator<{ readonly manager: string; readonly time: string }> {
  for (const entry of listOf(objectOf(raw['metadata'])['managedFields'])) {
    if (!isJsonObject(entry) || textOf(entry['subresource']) !== '') continue;
    if (!Object.hasOwn(objectOf(entry['fieldsV1']), 'f:spec')) continue;
    yield { manager: textOf(entry['manager']), time: textOf(entry['time']) };
  }
}
