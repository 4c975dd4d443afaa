import { resolve } from 'node:path';
import { type Compilation, Compiler } from '../../controller/compile/compiler.ts';
import type { InstanceState } from '../../controller/compile/instance-state.ts';
import { nothingGood } from '../../controller/compile/last-good.ts';
import type { SourceFile } from '../../controller/compile/source-file.ts';
import type { Verdict } from '../../controller/compile/verdict.ts';
import { manifestVerdicts, objectLabel } from '../../controller/source/manifest-verdicts.ts';
import { type ManifestOptions, type ManifestSet, Manifests } from '../../controller/source/manifests.ts';
import { operatorReach } from '../../dataplane/unit/operator-reach.ts';
import { dataPlaneChecker } from './checker.ts';

/** Problems and verdicts of manifests. */
export interface ManifestFindings {
  /** Of the base configuration, of files and of resources. */
  readonly verdicts: readonly Verdict[];
  /** How many files of the base configuration and how many resources there are. */
  readonly files: number;
  readonly resources: number;
  /** What objects are called that were not looked at. */
  readonly skipped: readonly string[];
}

export interface ManifestCheckOptions extends ManifestOptions {
  /** System properties, as `-D` gives them. */
  readonly system: Readonly<Record<string, string>>;
}

/** Judges manifests together, as a controller would in a cluster that has these objects and no others. */
export function checkManifests(files: readonly SourceFile[], options: ManifestCheckOptions): ManifestFindings {
  const set = new Manifests(options).read(files);
  const { verdicts, resources } = compileManifests(set, options.system);
  const { config, admin, trust } = set.base;
  return {
    verdicts: [...verdicts, ...manifestVerdicts(set, resources)],
    files: [config, admin, trust].filter((file) => file !== null).length,
    resources: set.origins.size,
    skipped: set.skipped.map(objectLabel),
  };
}

/** Manifests have no directories of routes: those that routers name are as if they were empty. */
function compileManifests(set: ManifestSet, system: Readonly<Record<string, string>>): Compilation {
  const here = resolve('.');
  const directories = { instance: here, config: here, temp: here };
  const reach = operatorReach({ env: { ...process.env }, system, directories });
  const tokens = { files: new Map<string, string>(), instanceUrl: null, allowed: new Map<string, string>(), reach };
  const compiler = new Compiler({ checker: dataPlaneChecker(reach), tokens, configDirectory: here });
  const { config, admin, strays, source } = set.base;
  let state: InstanceState = {
    config,
    admin,
    strays,
    baseSources: source === null ? [] : [source],
    // those of a cluster are seldom among the manifests of a Route
    resources: { ...set.resources, services: 'assumed' },
    directories: new Map(),
    faults: new Map(),
    epoch: 0,
  };
  for (;;) {
    const compilation = compiler.compile(state, nothingGood);
    if (compilation.missing.length === 0) return compilation;
    const empty = compilation.missing.map((path) => [path, []] as const);
    state = { ...state, directories: new Map([...state.directories, ...empty]) };
  }
}
