import { resolve } from 'node:path';
import type { PlacedProblem } from '../contract/document/document-text.ts';
import { isJsonObject } from '../contract/document/json-value.ts';
import type { Problem } from '../contract/problem.ts';
import type { ProblemSource } from '../contract/problem-text.ts';
import { type Compilation, Compiler, nothingGood } from '../controller/compile/compiler.ts';
import type { ResourceVerdict } from '../controller/compile/resources/resource-verdict.ts';
import type { InstanceState, SourceFile } from '../controller/compile/source-file.ts';
import type { Verdict } from '../controller/compile/verdict.ts';
import type { ManifestObject } from '../controller/source/manifest-objects.ts';
import { type ManifestOptions, type ManifestSet, Manifests } from '../controller/source/manifests.ts';
import { operatorReach } from '../dataplane/operator-reach.ts';
import { dataPlaneChecker } from './checker.ts';
import { shownPath } from './verdict-text.ts';

/** A problem and what it is a problem of. */
export interface ToldProblem {
  readonly problem: PlacedProblem;
  readonly source: ProblemSource;
}

/** What was found in manifests. */
export interface ManifestFindings {
  readonly told: readonly ToldProblem[];
  /** What was found in the base configuration. */
  readonly base: readonly Verdict[];
  readonly resources: readonly ResourceVerdict[];
  /** Objects that were not looked at, as `kind namespace/name`. */
  readonly skipped: readonly string[];
}

export interface ManifestCheckOptions extends ManifestOptions {
  /** System properties, as `-D` gives them. */
  readonly system: Readonly<Record<string, string>>;
}

/** Judges manifests together, as a controller would in a cluster that has these objects and no others. */
export function checkManifests(files: readonly SourceFile[], options: ManifestCheckOptions): ManifestFindings {
  const set = new Manifests(options).read(files);
  const compilation = compileManifests(set, options.system);
  const resources = compilation.resources?.verdicts ?? [];
  const { trust } = set.base;
  return {
    told: [
      ...set.problems.map(({ file, object, problem }) => ({ problem, source: sourceOf(file, object) })),
      ...(compilation.resources?.trustProblems ?? []).map((problem) => ({
        problem,
        source: trust === null ? {} : { file: shownPath(trust.path) },
      })),
      ...resources.flatMap((verdict) => toldOf(verdict, set)),
    ],
    base: compilation.verdicts,
    resources,
    skipped: set.skipped.map(({ value }) => `${String(value['kind'])} ${nameOf(value)}`),
  };
}

/** Manifests have no directories of routes: those that routers name are as if they were empty. */
function compileManifests(set: ManifestSet, system: Readonly<Record<string, string>>): Compilation {
  const here = resolve('.');
  const reach = operatorReach({
    env: { ...process.env },
    system,
    directories: { instance: here, config: here, temp: here },
  });
  const tokens = { files: new Map<string, string>(), instanceUrl: null, allowed: new Map<string, string>(), reach };
  const compiler = new Compiler({ checker: dataPlaneChecker(reach), tokens, configDirectory: here });
  const { config, admin, strays, source } = set.base;
  let state: InstanceState = {
    config,
    admin,
    strays,
    baseSources: source === null ? [] : [source],
    resources: set.resources,
    directories: new Map(),
    faults: new Map(),
    epoch: 0,
  };
  for (;;) {
    const compilation = compiler.compile(state, nothingGood);
    if (compilation.missing.length === 0) return compilation;
    state = {
      ...state,
      directories: new Map([...state.directories, ...compilation.missing.map((path) => [path, []] as const)]),
    };
  }
}

/** Every problem of a resource; a refusal without one is a problem of the object itself. */
function toldOf(
  { resource, problems, accepted, resolvedRefs }: ResourceVerdict,
  { origins }: ManifestSet,
): ToldProblem[] {
  const origin = origins.get(resource) ?? null;
  const source = origin === null ? {} : sourceOf(origin.file, origin);
  const isTold = problems.some(({ severity }) => severity === 'error');
  const refusals = [accepted, resolvedRefs].filter(({ status }) => !status);
  const untold = isTold
    ? []
    : refusals.map(({ message }): Problem => ({ code: 'value', severity: 'error', path: [], message }));
  return [...problems, ...untold].map((problem) => ({ problem, source }));
}

function sourceOf(file: SourceFile, object: ManifestObject | null): ProblemSource {
  const text = new TextDecoder().decode(file.content);
  // what a Secret holds is under names that tell nobody that it is secret
  const isSecret = object === null ? /\bkind\b\W{1,5}Secret\b/.test(text) : object.value['kind'] === 'Secret';
  const where = { file: shownPath(file.path), ...(isSecret ? {} : { text }) };
  if (object === null) return where;
  return { ...where, placeOf: object.placeOf, label: `${String(object.value['kind'])} ${nameOf(object.value)}` };
}

function nameOf({ metadata }: ManifestObject['value']): string {
  const { namespace, name = '' } = isJsonObject(metadata) ? metadata : {};
  return namespace === undefined ? String(name) : `${String(namespace)}/${String(name)}`;
}
