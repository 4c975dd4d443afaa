import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Problem } from '../../contract/problem.ts';
import { isDocumentName } from '../../controller/compile/document-of.ts';
import { nothingGood } from '../../controller/compile/last-good.ts';
import type { SourceFile } from '../../controller/compile/source-file.ts';
import type { Verdict } from '../../controller/compile/verdict.ts';
import { compileSource } from '../../controller/live-instance.ts';
import { type InstanceLayout, instanceAround, instanceLayout } from '../../controller/source/instance-layout.ts';
import { looksLikeManifest } from '../../controller/source/manifest-objects.ts';
import { checkManifests, type ManifestCheckOptions, type ManifestFindings } from './check-manifests.ts';
import { allVerdicts, type Instance, openInstance } from './open-instance.ts';

/** Problems of all checked files. */
export interface Findings {
  readonly verdicts: readonly Verdict[];
  readonly tokenProblems: readonly Problem[];
  /** Null when there were no manifests. */
  readonly manifests: ManifestFindings | null;
}

/** The standard input, which is read as manifests. */
const INPUT = '-';

/** A second check needs it again, and it can be read once. */
let input: Buffer | null = null;

/** Checks directories and files; all manifests together. @throws Error for what is not there. */
export function checkPaths(paths: readonly string[], options: ManifestCheckOptions): Findings {
  const { system } = options;
  const verdicts: Verdict[] = [];
  const manifests: SourceFile[] = [];
  const tokenProblems = new Map<string, Problem>();
  const judged = <T>(layout: InstanceLayout, judge: (instance: Instance) => T): T => {
    const instance = openInstance(layout, { system });
    for (const problem of instance.tokenProblems) tokenProblems.set(problem.message, problem);
    try {
      return judge(instance);
    } finally {
      instance.source.close();
    }
  };
  for (const path of paths) {
    const files = manifestsAt(path);
    if (files.length > 0) manifests.push(...files);
    else if (isDirectory(path)) verdicts.push(...judged(instanceLayout(path), checkInstance));
    else verdicts.push(...checkFile(path, judged));
  }
  return {
    verdicts,
    tokenProblems: [...tokenProblems.values()],
    manifests: manifests.length === 0 ? null : checkManifests(manifests, options),
  };
}

/** The files that `kubectl apply -f PATH` would read; none for an instance, for a route file and for what is not there. */
function manifestsAt(path: string): SourceFile[] {
  if (path === INPUT) {
    input ??= readFileSync(process.stdin.fd);
    return [{ path: 'standard input', content: input }];
  }
  if (!isDirectory(path)) return isDocumentName(path.slice(path.lastIndexOf('/') + 1)) ? manifestFiles([path]) : [];
  if (['config', 'config.json', 'admin.json', 'routes'].some((name) => existsSync(join(path, name)))) return [];
  const names = readdirSync(path).filter(isDocumentName).sort();
  return manifestFiles(names.map((name) => join(path, name)).filter((one) => !isDirectory(one)));
}

function manifestFiles(paths: readonly string[]): SourceFile[] {
  const files = paths.map((path) => ({ path: resolve(path), content: readFileSync(path) }));
  return files.some(looksLikeManifest) ? files : [];
}

function checkInstance(instance: Instance): readonly Verdict[] {
  return allVerdicts(instance, compileSource(instance.compiler, instance.source, nothingGood));
}

type Judged = <T>(layout: InstanceLayout, judge: (instance: Instance) => T) => T;

/** A file as part of its instance; one that no router reads is a route of the default configuration. */
function checkFile(path: string, judged: Judged): readonly Verdict[] {
  const around = instanceAround(path);
  const own = (verdict: Verdict): boolean => resolve(verdict.file.path) === resolve(path);
  const found = around === null ? [] : judged(around, checkInstance).filter(own);
  if (found.length > 0) return found;
  if (!isDocumentName(path.slice(path.lastIndexOf('/') + 1))) throw new Error(`${path} is not a JSON or YAML file`);
  const file: SourceFile = { path: resolve(path), content: readFileSync(path) };
  const alone = { instance: dirname(file.path), config: dirname(file.path) };
  return judged(around ?? alone, ({ compiler, source }) => {
    const empty = { config: null, strays: [], directories: new Map(), faults: new Map(), epoch: 0 };
    const { directories } = compiler.compile(empty, nothingGood);
    const state = { ...empty, directories: new Map([...directories.keys()].map((one) => [one, [file]])) };
    const { verdicts } = compiler.compile(state, nothingGood);
    source.close();
    return verdicts.filter(own);
  });
}

function isDirectory(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new Error(`there is no file or directory ${path}`);
  return stat.isDirectory();
}
