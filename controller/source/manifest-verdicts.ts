import { isJsonObject } from '../../contract/document/json-value.ts';
import type { Problem } from '../../contract/problem.ts';
import type { CompiledResources } from '../compile/resources/compiled-resources.ts';
import type { ResourceVerdict } from '../compile/resources/resource-verdict.ts';
import type { SourceFile } from '../compile/source-file.ts';
import { hasErrors, type Verdict, type VerdictObject } from '../compile/verdict.ts';
import type { ManifestObject } from './manifest-objects.ts';
import type { ManifestSet } from './manifests.ts';

/** Verdicts on manifests: on their files, on `trust.json`, and on every resource in them. */
export function manifestVerdicts(set: ManifestSet, compiled: CompiledResources | undefined): Verdict[] {
  const { origins, problems, resources } = set;
  const { trust } = resources;
  const trustProblems = compiled?.trustProblems ?? [];
  return [
    ...problems.map(({ file, object, problem }) => strayVerdict(file, object, problem)),
    ...(trust === null || trustProblems.length === 0 ? [] : [trustVerdict(trust, trustProblems)]),
    ...(compiled?.verdicts ?? []).flatMap((verdict): Verdict[] => {
      const origin = origins.get(verdict.resource);
      return origin === undefined ? [] : [resourceVerdict(verdict, origin)];
    }),
  ];
}

/** `Route shop/orders`, as an object is called; empty for what is none. */
export function objectLabel({ value: { kind, metadata } }: ManifestObject): string {
  if (kind === undefined) return '';
  const { namespace, name = '' } = isJsonObject(metadata) ? metadata : {};
  return `${String(kind)} ${namespace === undefined ? '' : `${String(namespace)}/`}${String(name)}`;
}

function resourceVerdict(verdict: ResourceVerdict, origin: ManifestObject): Verdict {
  const { resource, route, serves } = verdict;
  const { condition } = resource.spec;
  const facts = { file: origin.file, within: withinOf(origin), serves, problems: problemsOf(verdict) };
  if (resource.kind !== 'Route') return { ...facts, role: 'resource', route: null };
  const shown = condition === undefined ? null : typeof condition === 'string' ? condition : JSON.stringify(condition);
  const identity = route === null ? null : { router: route.router, id: route.id, name: route.name, condition: shown };
  return { ...facts, role: 'route', route: identity };
}

/** A condition that does not hold without a problem that says why is a problem itself. */
function problemsOf({ problems, accepted, resolvedRefs }: ResourceVerdict): readonly Problem[] {
  if (hasErrors(problems)) return problems;
  const refusals = [accepted, resolvedRefs].filter(({ status }) => !status);
  return [
    ...problems,
    ...refusals.map(({ message }): Problem => ({ code: 'value', severity: 'error', path: [], message })),
  ];
}

function strayVerdict(file: SourceFile, object: ManifestObject | null, problem: Problem): Verdict {
  const text = new TextDecoder().decode(file.content);
  // what a Secret holds is under names that tell nobody that it is secret
  const whole = { label: '', placeOf: () => undefined, isSecret: /\bkind\b\W{1,5}Secret\b/.test(text) };
  const within = object === null ? whole : withinOf(object);
  return { file, within, role: 'stray', serves: 'nothing', problems: [problem], route: null };
}

function trustVerdict(file: SourceFile, problems: readonly Problem[]): Verdict {
  return { file, role: 'stray', serves: hasErrors(problems) ? 'nothing' : 'this', problems, route: null };
}

function withinOf(object: ManifestObject): VerdictObject {
  return { label: objectLabel(object), placeOf: object.placeOf, isSecret: object.value['kind'] === 'Secret' };
}
