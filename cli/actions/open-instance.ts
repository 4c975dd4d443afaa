import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readTokenFiles } from '../../contract/document/token-files.ts';
import type { Problem } from '../../contract/problem.ts';
import { type CompiledAdmin, compileAdmin } from '../../controller/compile/compile-admin.ts';
import { type Compilation, Compiler, type CompilerOptions } from '../../controller/compile/compiler.ts';
import type { Verdict } from '../../controller/compile/verdict.ts';
import { DirectorySource } from '../../controller/source/directory-source.ts';
import { type InstanceLayout, instanceLayout } from '../../controller/source/instance-layout.ts';
import { type OperatorReach, operatorReach } from '../../dataplane/unit/operator-reach.ts';
import { homeDirectory } from '../options/home-directory.ts';
import { dataPlaneChecker } from './checker.ts';

export interface InstanceOptions {
  /** System properties, as `-D` gives them. */
  readonly system: Readonly<Record<string, string>>;
  readonly watch?: boolean;
  /** Ports that take the place of those in `admin.json`. */
  readonly ports?: readonly number[] | undefined;
  /** Called when a file has changed. */
  changed?(): void;
}

/** An instance on disk with what reads and judges it. */
export interface Instance {
  readonly layout: InstanceLayout;
  readonly admin: CompiledAdmin;
  readonly reach: OperatorReach;
  readonly source: DirectorySource;
  readonly compiler: Compiler;
  /** What the compiler judges documents and gives tokens their values with. */
  readonly judging: Pick<CompilerOptions, 'checker' | 'tokens'>;
  /** What is wrong with the files that give tokens their values. */
  readonly tokenProblems: readonly Problem[];
}

/** Opens an instance: reads `admin.json`, and gets ready to compile the rest. @throws Error when there is none. */
export function openInstance(layout: InstanceLayout, options: InstanceOptions): Instance {
  const { system, watch = false } = options;
  const env = { ...process.env };
  const found = { instance: layout.instance, config: layout.config, temp: join(layout.instance, 'tmp') };
  const early = operatorReach({ env, system, directories: found });
  const tokenProblems: Problem[] = [];
  const files = readTokenFiles(early, (problem) => tokenProblems.push(problem));
  const source = new DirectorySource({ config: layout.config, watch, changed: () => options.changed?.() });
  const sources = { files, instanceUrl: null, allowed: new Map<string, string>() };
  let admin: CompiledAdmin;
  try {
    admin = compileAdmin(source.admin, dataPlaneChecker(early), { ...sources, reach: early });
  } catch (error) {
    source.close();
    throw error;
  }
  const temp = admin.settings?.temporaryDirectory;
  const directories = temp === undefined ? found : { ...found, temp: resolve(layout.instance, temp) };
  const data = { env, system, directories };
  const reach = operatorReach(data);
  // what `$location` names is read through the source, which follows it
  const located = { ...reach, readFile: (path: string) => source.readLocated(path) ?? reach.readFile(path) };
  const connector = admin.settings?.connectors?.[0];
  const port = options.ports?.[0] ?? connector?.port ?? 8080;
  const scheme = connector?.tls === undefined ? 'http' : 'https';
  const judging = {
    checker: dataPlaneChecker(reach),
    tokens: { ...sources, reach: located, instanceUrl: `${scheme}://localhost:${port}` },
  };
  const compiler = new Compiler({
    ...judging,
    configDirectory: layout.config,
    ...(admin.settings === null ? {} : { administrativePath: admin.settings.prefix }),
  });
  return { layout, admin, reach: data, source, compiler, judging, tokenProblems };
}

/** Verdicts on all files of an instance. */
export function allVerdicts({ admin }: Instance, { verdicts }: Compilation): readonly Verdict[] {
  return admin.verdict === null ? verdicts : [admin.verdict, ...verdicts];
}

/** Where an instance is when nobody says: as OpenIG finds it. @throws Error when it is not there. */
export function givenLayout(path: string | undefined, system: Readonly<Record<string, string>>): InstanceLayout {
  const { OPENIG_BASE, IG_INSTANCE_DIR } = process.env;
  const told = system['openig.base'] ?? system['ig.instance.dir'] ?? OPENIG_BASE ?? IG_INSTANCE_DIR;
  const named = path ?? told;
  if (named !== undefined) return instanceLayout(named);
  const home = homeDirectory();
  if (home === null)
    throw new Error('name a directory: this user has no home directory, where an instance is looked for by default');
  const byDefault = join(home, '.openig');
  if (!existsSync(byDefault)) {
    throw new Error(`name a directory: there is none at ${byDefault}, where an instance is looked for by default`);
  }
  return instanceLayout(byDefault);
}
