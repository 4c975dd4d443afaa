import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { dataPlaneChecker } from '../../../cli/actions/checker.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { Update } from '../../../contract/snapshot.ts';
import { type Compilation, Compiler } from '../../../controller/compile/compiler.ts';
import type { Verdict } from '../../../controller/compile/verdict.ts';
import { LiveInstance } from '../../../controller/live-instance.ts';
import { DirectorySource } from '../../../controller/source/directory-source.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { OwnListeners } from '../../../dataplane/engine/wire/own-listeners.ts';
import { loadNamedParts } from '../../../dataplane/heap/named-parts.ts';
import { type BuildProblem, Configuration } from '../../../dataplane/routes/configuration.ts';
import { noFigures } from '../../../dataplane/routes/route-figures.ts';
import { startGateway } from './gateway.ts';
import { type FolderContent, InstanceFolder } from './instance-folder.ts';
import { operatorReach } from './operator-reach.ts';

/** An instance on disk, served in this process by the code that `gatewarden run` runs in several. */
export interface ServedInstance {
  readonly port: number;
  readonly path: string;
  /** The instance for those who manage it over HTTP. */
  readonly managed: LiveInstance;
  /** Updates that were delivered. */
  readonly delivered: readonly Update[];
  /** What the compiler says of a file now, by its path in the folder. */
  verdict(file: string): Verdict;
  /** Writes files, takes those away whose content is null, and has the folder looked at. */
  change(content: FolderContent): Promise<void>;
  close(): Promise<void>;
}

/** Serves these files, with no environment but the one given. @throws when they cannot be served. */
export async function serveInstance(
  content: FolderContent,
  env: Readonly<Record<string, string>> = {},
): Promise<ServedInstance> {
  const folder = new InstanceFolder(content);
  const reach = operatorReach(env, {}, folder.path);
  const listeners = new OwnListeners();
  const configuration = new Configuration({
    catalogue,
    reach,
    log: pino({ enabled: false }),
    figures: () => noFigures,
    observe: () => {},
    mayReach: (address, port) => !listeners.has(address, port),
  });
  const tokens = { reach, files: new Map(), instanceUrl: null, allowed: new Map() };
  const configDirectory = folder.at('config');
  let live: LiveInstance | null = null;
  let verdicts: readonly Verdict[] = [];
  const built = new Map<string, readonly Problem[]>();
  const delivered: Update[] = [];
  const source = new DirectorySource({ config: configDirectory, watch: false, changed: () => live?.changed() });
  live = new LiveInstance({
    compiler: new Compiler({ checker: dataPlaneChecker(reach), tokens, configDirectory }),
    source,
    configDirectory,
    compiled: note,
    failed(error) {
      throw error;
    },
    deliver: apply,
  });
  const { compilation, update } = await live.begin();
  note(compilation);
  if (update === null) throw new Error(JSON.stringify(verdicts));
  live.built(update, await apply(update));
  const gateway = await startGateway({ handler: () => configuration.handle });
  listeners.add({ address: '127.0.0.1', port: gateway.port });

  function note(compiled: Compilation): void {
    verdicts = compiled.verdicts;
  }

  async function apply(update: Update): Promise<readonly BuildProblem[]> {
    delivered.push(update);
    const { defaults: _, set, ...rest } = update;
    const loading = loadNamedParts(catalogue, [rest, set]);
    if (loading !== null) await loading;
    const placed = { ...rest, set: set.map((entry) => ({ ...entry, slot: -1 })), defaultSlots: {} };
    const unbuilt = configuration.apply(placed);
    for (const { route, problems } of unbuilt) {
      if (route === null) throw new Error(JSON.stringify(problems));
      built.set(route.id, problems);
    }
    return unbuilt;
  }

  return {
    port: gateway.port,
    path: folder.path,
    managed: live,
    delivered,
    verdict(file) {
      const found = verdicts.find(({ file: { path } }) => path === folder.at(file));
      if (found === undefined) throw new Error(`nothing is said of ${file}`);
      return { ...found, problems: [...found.problems, ...(built.get(found.route?.id ?? '') ?? [])] };
    },
    async change(files) {
      for (const [name, value] of Object.entries(files)) {
        if (value === null) folder.remove(name);
        else folder.replace(name, value);
      }
      source.scan();
      await setImmediate(); // what was delivered has been confirmed by then
    },
    async close() {
      source.close();
      await gateway.close();
      configuration.close();
      folder[Symbol.dispose]();
    },
  };
}
