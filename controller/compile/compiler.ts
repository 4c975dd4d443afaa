import { basename, join, relative, resolve } from 'node:path';
import { contentHash } from '../../contract/document/canonical.ts';
import { isJsonObject } from '../../contract/document/json-value.ts';
import { fixedProperties } from '../../contract/document/properties.ts';
import type { PropertySet } from '../../contract/document/property-set.ts';
import type { TokenSources } from '../../contract/document/token-resolver.ts';
import type { Problem } from '../../contract/problem.ts';
import type { SecretContent } from '../../contract/resources/resource.ts';
import type { RouteEntry, SharedResource } from '../../contract/snapshot.ts';
import type { TrustSettings } from '../../contract/trust-settings.ts';
import type { BaseRecord } from './base-record.ts';
import type { Checker, FoundRouter } from './checker.ts';
import { defaultConfiguration } from './default-configuration.ts';
import type { InstanceState } from './instance-state.ts';
import type { BaseVersion, LastGood } from './last-good.ts';
import { documentResolver, type ResolveDocument } from './resolve-document.ts';
import type { CompiledResources } from './resources/compiled-resources.ts';
import { forbiddenAddresses } from './resources/forbidden-addresses.ts';
import { InstanceResources, type WithResources } from './resources/instance-resources.ts';
import type { ResourceChange, ResourceOpinion } from './resources/judge-change.ts';
import type { PlatformFacts } from './resources/platform-facts.ts';
import type { ResourceState } from './resources/resource-state.ts';
import { RouteDigest } from './route-digest.ts';
import { RouteDrafts } from './route-draft.ts';
import { directoryPath, RouterWalk } from './router-walk.ts';
import type { Snapshot } from './snapshot.ts';
import { type SourceFile, sameContent } from './source-file.ts';
import { hasErrors, type Verdict } from './verdict.ts';

export interface CompilerOptions {
  readonly checker: Checker;
  readonly tokens: TokenSources;
  /** The directory of `config.json`, where relative directories begin. */
  readonly configDirectory: string;
  /** `prefix` of an `admin.json` that is read aside; otherwise the one of the state counts. */
  readonly administrativePath?: string;
}

/** Result of compiling a state. */
export interface Compilation {
  /** Null when there is no sound `config.json` and never was. */
  readonly snapshot: Snapshot | null;
  readonly verdicts: readonly Verdict[];
  /** The directories that routers read and how often, in milliseconds; 0 for once. */
  readonly directories: ReadonlyMap<string, number>;
  /** Directories of the routers, by their qualified names. */
  readonly routers: ReadonlyMap<string, string>;
  /** Those of them that are not there. */
  readonly absent: readonly string[];
  /** Those of them that the state does not have: with them, more may come of it. */
  readonly missing: readonly string[];
  /** What came of the custom resources, where the state has them. */
  readonly resources?: CompiledResources;
  /** To be handed in the next time. */
  readonly lastGood: LastGood;
}

/** A file that was there would not be taken away to get the default configuration, which lets other requests pass. */
const gone: BaseDraft = {
  file: null,
  epoch: 0,
  administrativePath: '',
  problems: [{ code: 'missing', severity: 'error', path: [], message: 'the file is missing' }],
  version: null,
  seen: null,
};

/** Where a restart does not bring the default configuration either, it has to be said how to get it. */
const goneForGood: BaseDraft = {
  ...gone,
  problems: gone.problems.map((problem) => ({
    ...problem,
    hint: 'restore it; {"handler": {"name": "_router", "type": "Router"}} is a minimal one that only serves Routes',
  })),
};

interface BaseDraft {
  readonly file: SourceFile | null;
  readonly epoch: number;
  readonly administrativePath: string;
  readonly problems: readonly Problem[];
  /** Null when it is not sound. */
  readonly version: BaseVersion | null;
  /** What can be seen of it, sound or not; null when it would mislead. */
  readonly seen: Pick<BaseVersion, 'judgement' | 'properties'> | null;
}

/**
 * Turns the files of an instance into a snapshot. What comes out depends on what goes in and on nothing else; that every
 * document is judged once as long as it and what is around it stay the same only shows in the time it takes.
 */
export class Compiler {
  private readonly options: CompilerOptions;
  private readonly resolve: ResolveDocument;
  private drafts = new WeakMap<FoundRouter, RouteDrafts>();
  private epoch = 0;
  private readonly resources: InstanceResources;
  private readonly digest = new RouteDigest();
  private baseDraft: BaseDraft | null = null;
  private shared: {
    readonly platform: PlatformFacts;
    readonly groups: TrustSettings['groups'];
    readonly resources: readonly SharedResource[];
  } | null = null;

  constructor(options: CompilerOptions) {
    this.options = options;
    const { checker, tokens } = options;
    this.resolve = documentResolver(tokens, (text, constants) => checker.evaluate(text, constants));
    this.resources = new InstanceResources(checker, tokens, this.resolve);
  }

  /** One like this that has judged nothing, for what must leave no trace here. */
  anew(): Compiler {
    return new Compiler(this.options);
  }

  compile(state: InstanceState, lastGood: LastGood): Compilation {
    if (state.epoch !== this.epoch) this.drafts = new WeakMap(); // also those of a base that was sound last
    this.epoch = state.epoch;
    const walk = new RouterWalk({
      directories: state.directories,
      faults: state.faults,
      lastGood: lastGood.routes,
      directoryOf: (router) => this.directoryOf(router),
      draftsOf: (router, properties) => this.draftsOf(router, properties),
      absentDirectories: (routers) => this.absentDirectories(routers, state),
    });
    const draft = state.config === null && lastGood.base?.isFile === true ? goneBase(state) : this.draftBase(state);
    const refused = draft.version === null ? [] : walk.refuse(draft.version.judgement.routers, []);
    const isSound = draft.version !== null && refused.length === 0;
    const base = isSound ? draft.version : lastGood.base;
    if (base !== null) {
      if (!isSound) walk.refuse(base.judgement.routers, []);
      walk.enter(base.judgement.routers, base.properties, []);
    }
    const isEntered = isSound || (base === null && enterUnsound(walk, draft));
    const hidesRoutes = base === null && !isEntered;
    const { routers } = draft.seen?.judgement ?? { routers: [] };
    const problems = [
      ...draft.problems,
      ...refused,
      ...(isEntered && state.config !== null ? this.absentDirectories(routers, state) : []),
      ...(state.admin === undefined ? [] : routers.flatMap(vainDirectory)),
    ];
    const serves = isSound ? 'this' : base === null ? 'nothing' : 'last-good';
    const path = join(this.options.configDirectory, 'config.json');
    const [router] = draft.version?.isFile === false && refused.length > 0 ? routers : [];
    // without a file, what is wrong is the one directory of the default configuration
    const said = router === undefined ? path : this.directoryOf(router);
    const file = state.config ?? { path: said, content: new Uint8Array() };
    const isWorthSaying = state.config !== null || problems.length > 0;
    const own = { file, role: 'config', serves, problems, hidesRoutes, route: null } as const;
    const added =
      state.resources === undefined ? null : this.addResources(state, state.resources, base, walk, lastGood);
    const others = base === null ? walk.verdicts.map((one): Verdict => ({ ...one, serves: 'waits' })) : walk.verdicts;
    return {
      snapshot:
        base === null
          ? null
          : this.snapshotOf(base, walk, added, this.sharedResources(state.resources?.platform, added)),
      verdicts: [...(added?.verdicts ?? []), ...(isWorthSaying ? [own] : []), ...strayVerdicts(state), ...others],
      directories: walk.directories,
      routers: walk.routers,
      absent: [...walk.directories.keys()].filter(
        (path) => state.directories.get(path) === null && !state.faults.has(path),
      ),
      missing: walk.missing,
      ...(added === null ? {} : { resources: added.resources }),
      lastGood: {
        base,
        routes: base === null ? lastGood.routes : walk.lastGood,
        ...(added === null ? {} : { resources: added.good }),
      },
    };
  }

  /** What is good to begin with, by the record of a controller before this one. What this one does not accept is left out. */
  restored({ config, admin, trust }: BaseRecord): LastGood {
    const resources = this.resources.restored(admin, trust);
    return { base: config && this.restoredBase(config), routes: new Map(), resources };
  }

  /** Takes the body of a route that a plane kept, after a start without it. @returns whether it was of use */
  recalled(entry: RouteEntry): boolean {
    return this.resources.recalled(entry);
  }

  /** Reads the certificate of a Secret before it is compiled, so that thousands of them are not read in one turn. */
  readSecret(key: string, content: SecretContent): void {
    this.resources.readSecret(key, content);
  }

  /** What would be said if one resource changed, which changes nothing; null as long as nothing was judged. */
  judgeOne(change: ResourceChange): ResourceOpinion | null {
    return this.resources.judge(change);
  }

  private addResources(
    state: InstanceState,
    resources: ResourceState,
    base: BaseVersion | null,
    { routes }: RouterWalk,
    { resources: good }: LastGood,
  ): WithResources {
    const held = base === null ? null : { ...base, routers: base.judgement.routers, routes };
    return this.resources.compile(state, resources, held, good);
  }

  /** What planes get beside routes; each is the same object as long as nothing it is made of changes. */
  private sharedResources(platform: PlatformFacts | undefined, added: WithResources | null): readonly SharedResource[] {
    const groups = added?.resources.trust?.groups;
    const objects = added?.resources.shared ?? [];
    if (platform === undefined || groups === undefined) return objects;
    if (this.shared?.platform !== platform || this.shared.groups !== groups) {
      this.shared = { platform, groups, resources: forbiddenAddresses(platform, groups) };
    }
    return [...this.shared.resources, ...objects];
  }

  private draftBase(state: InstanceState): BaseDraft {
    const { config, epoch } = state;
    const known = this.baseDraft;
    const given = this.resources.administrativePath(state) ?? this.options.administrativePath;
    const path = given ?? known?.administrativePath ?? 'openig';
    const isKnown = known !== null && known.epoch === epoch && known.administrativePath === path;
    if (isKnown && sameFile(known.file, config)) return known;
    const resolved = config === null ? this.defaultBase() : this.resolve(config, null);
    const { document, properties } = resolved;
    const judgement = document === null ? null : this.options.checker.base(document, path);
    const problems = [...resolved.problems, ...resolved.told(judgement?.problems ?? [])];
    const misleads = judgement === null || hasErrors(resolved.problems.filter(({ code }) => code === 'property'));
    const seen = misleads ? null : { judgement, properties };
    const draft = { file: config, epoch, administrativePath: path, problems, version: null, seen };
    if (document === null || judgement?.sound !== true || hasErrors(problems)) return (this.baseDraft = draft);
    const version = { document, properties, judgement, hash: contentHash(document), isFile: config !== null };
    return (this.baseDraft = { ...draft, version });
  }

  private restoredBase({ document, isFile }: NonNullable<BaseRecord['config']>): BaseVersion | null {
    const judgement = this.options.checker.base(document);
    if (!judgement.sound) return null;
    const written = document['properties'];
    const properties = fixedProperties(isJsonObject(written) ? written : {});
    return { document, properties, judgement, hash: contentHash(document), isFile };
  }

  private defaultBase(): ReturnType<ResolveDocument> {
    const content = Buffer.from(JSON.stringify(defaultConfiguration));
    return this.resolve({ path: 'config.json', content }, null);
  }

  private snapshotOf(
    { document, hash }: BaseVersion,
    { routes: files, defaults }: RouterWalk,
    added: WithResources | null,
    resources: readonly SharedResource[],
  ): Snapshot | null {
    const base = added === null ? { document, hash } : added.base;
    if (base === null) return null;
    const own = added?.resources.routes ?? [];
    const routes = own.length === 0 ? files : files.length === 0 ? own : [...files, ...own];
    const hashes = [base.hash, this.digest.of(routes)];
    const remembered = (added?.resources.remembered ?? []).map((one) => one.hash).join(' ');
    const shared = resources.map((one) => one.hash).join(' ');
    const more = [...(remembered === '' && shared === '' ? [] : [remembered]), ...(shared === '' ? [] : [shared])];
    const revision = contentHash([...hashes, ...more]);
    return { revision, base, routes, defaults, ...(resources.length === 0 ? {} : { resources }) };
  }

  private draftsOf(router: FoundRouter, properties: PropertySet): RouteDrafts {
    const known = this.drafts.get(router);
    if (known !== undefined) return known;
    const made = new RouteDrafts(router, properties, this.resolve);
    this.drafts.set(router, made);
    return made;
  }

  private directoryOf({ directory }: FoundRouter): string {
    return resolve(this.options.configDirectory, directory ?? 'routes');
  }

  /** A directory that somebody named and that is not there is probably misspelt. */
  private absentDirectories(routers: readonly FoundRouter[], { directories }: InstanceState): Problem[] {
    return routers.flatMap((router): Problem[] => {
      if (directories.get(this.directoryOf(router)) !== null) return [];
      const directory = this.directoryOf(router);
      const below = relative(this.options.configDirectory, directory);
      const path = below.startsWith('..') ? directory : below;
      const message = `there is no directory '${path}': the router has no routes`;
      return [{ code: 'value', severity: 'warning', path: directoryPath(router), message }];
    });
  }
}

function goneBase({ admin }: InstanceState): BaseDraft {
  return admin === undefined ? gone : goneForGood;
}

/** Judges the routes of a `config.json` that is not sound, so that all problems are told at once. @returns false if not */
function enterUnsound(walk: RouterWalk, { seen, version }: BaseDraft): boolean {
  if (seen === null || version !== null || walk.refuse(seen.judgement.routers, []).length > 0) return false;
  walk.enter(seen.judgement.routers, seen.properties, []);
  return seen.judgement.routers.length > 0;
}

/** Planes of a cluster get Routes and read no directories. */
function vainDirectory(router: FoundRouter): Problem[] {
  if (router.directory === null) return [];
  const message = 'has no effect: in a cluster, routes are Route resources, not files';
  return [{ code: 'no-effect', severity: 'warning', path: directoryPath(router), message }];
}

function strayVerdicts({ strays }: InstanceState): Verdict[] {
  return strays.map(({ file, instead, isThere }) => {
    const name = basename(file.path);
    const message = isThere
      ? `'${name}' has no effect: ${instead} is read instead`
      : `'${name}' is not read, and there is no ${instead}`;
    const hint = `write it as JSON and name it ${instead}`;
    const problem: Problem = isThere
      ? { code: 'no-effect', severity: 'warning', path: [], message }
      : { code: 'missing', severity: 'error', path: [], message, hint };
    return { file, role: 'stray', serves: 'nothing', problems: [problem], route: null };
  });
}

function sameFile(a: SourceFile | null, b: SourceFile | null): boolean {
  return a === null || b === null ? a === b : sameContent(a, b);
}
