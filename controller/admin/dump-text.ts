import { hideSecrets } from '../../contract/hiding/hidden-secrets.ts';
import { pathText } from '../../contract/problem.ts';
import { resourceKey } from '../../contract/resources/resource.ts';
import type { RouteEntry, SharedResource } from '../../contract/snapshot.ts';
import type { ResourceVerdict } from '../compile/resources/resource-verdict.ts';
import type { Snapshot } from '../compile/snapshot.ts';

/**
 * Everything that planes are to run and what was said of resources, as text of JSON for whoever looks for a fault. Files
 * of secret stores are named and never shown, and secrets that stand in documents are stars.
 */
export function dumpText(snapshot: Snapshot | null, verdicts: readonly ResourceVerdict[]): string {
  const shown = {
    revision: snapshot?.revision ?? null,
    base: snapshot?.base ?? null,
    defaults: snapshot?.defaults ?? [],
    routes: snapshot?.routes.map(withoutFiles) ?? [],
    resources: snapshot?.resources?.map(withoutSecrets) ?? [],
    verdicts: verdicts.map(shownVerdict),
  };
  return hideSecrets(JSON.stringify(shown, null, 2));
}

function withoutSecrets(resource: SharedResource): object {
  if (resource.type !== 'server-certificate') return withoutFiles(resource);
  const { privateKey, ...rest } = resource;
  return rest;
}

function withoutFiles(entry: RouteEntry | SharedResource): object {
  if (!('files' in entry)) return entry;
  const { files = {}, ...rest } = entry;
  return { ...rest, fileNames: Object.keys(files) };
}

function shownVerdict(verdict: ResourceVerdict): object {
  const { resource, accepted, resolvedRefs, problems, serves, servingGeneration, route, dataPlanes, remembered } =
    verdict;
  return {
    kind: resource.kind,
    resource: resourceKey(resource),
    generation: resource.generation,
    accepted,
    resolvedRefs,
    problems: problems.map(({ path, ...problem }) => ({ ...problem, path: pathText(path) })),
    serves,
    servingGeneration,
    hash: remembered?.hash ?? route?.hash ?? null,
    isRemembered: remembered !== undefined,
    dataPlanes,
  };
}
