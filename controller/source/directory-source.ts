import { basename, dirname, join, resolve } from 'node:path';
import { readJsonText } from '../../contract/document/json-text.ts';
import { documentOf, isDocumentName } from '../compile/document-of.ts';
import type { InstanceState, StrayFile } from '../compile/instance-state.ts';
import type { SourceFile } from '../compile/source-file.ts';
import { DirectoryWatch } from './directory-watch.ts';
import { ABSENT, DocumentDirectory, type Look, SETTLE } from './document-directory.ts';
import { type ManifestObject, manifestObjects } from './manifest-objects.ts';
import { type ManifestProblem, type ManifestSet, Manifests } from './manifests.ts';
import { Pace } from './pace.ts';

/** Shortest time between two looks while files keep changing, in milliseconds. */
const GAP = 50;

export interface DirectorySourceOptions {
  /** The directory of `admin.json` and `config.json`. */
  readonly config: string;
  /** Whether changes are noticed at once, instead of every scan interval. */
  readonly watch: boolean;
  /** Called after the state has changed. */
  changed(): void;
}

interface Followed {
  readonly directory: DocumentDirectory;
  interval: number;
  timer: NodeJS.Timeout | null;
  watch: DirectoryWatch | null;
}

/** The files of an instance, followed as they change. */
export class DirectorySource {
  private readonly options: DirectorySourceOptions;
  private readonly base: Followed;
  /** Manifests of custom resources. */
  private readonly resources: Followed;
  private readonly manifests = new Manifests({ namespace: 'default', base: 'none' });
  private lastSet: {
    readonly files: readonly SourceFile[] | null;
    readonly trust: SourceFile | null;
    readonly set: ManifestSet;
  } | null = null;
  private readonly routes = new Map<string, Followed>();
  /** Files that documents name with `$location`, by path. */
  private readonly located = new Map<string, Followed>();
  /** Those of them that were read in this epoch. */
  private readonly inUse = new Set<string>();
  /** What has to be looked at: the whole directory, or only these names. */
  private readonly dirty = new Map<DocumentDirectory, ReadonlySet<string> | 'all'>();
  private readonly pace = new Pace(GAP, () => this.lookAtDirty());
  private settling: NodeJS.Timeout | null = null;
  private epoch = 0;
  private isClosed = false;

  constructor(options: DirectorySourceOptions) {
    this.options = options;
    this.base = this.open(options.config, isBaseName);
    this.resources = this.open(join(options.config, 'resources'), isDocumentName, areWholeManifests);
  }

  get state(): InstanceState {
    const { directory: base } = this.base;
    const directories = new Map<string, readonly SourceFile[] | null>();
    const faults = new Map<string, string>();
    for (const [path, { directory }] of this.routes) {
      directories.set(path, directory.files);
      if (directory.fault !== null) faults.set(path, directory.fault);
    }
    const config = base.fault === null ? base.file('config.json') : this.unread('config.json');
    const state = { config, strays: this.strays, directories, faults, epoch: this.epoch };
    const { manifestSet: set } = this;
    return set === null ? state : { ...state, resources: set.resources };
  }

  /** What `resources` says beside the files; null where there is neither such a directory nor a `trust.json`. */
  get manifestSet(): ManifestSet | null {
    const { files } = this.resources.directory;
    const trust = this.base.directory.file('trust.json');
    if (files === null && trust === null) return null;
    const known = this.lastSet;
    if (known !== null && known.files === files && known.trust === trust) return known.set;
    const set = this.manifests.read(files ?? []);
    const made = {
      ...set,
      problems: [...set.problems, ...set.skipped.map(aside)],
      resources: { ...set.resources, trust },
    };
    this.lastSet = { files, trust, set: made };
    return made;
  }

  get admin(): SourceFile | null {
    return this.base.directory.file('admin.json') ?? this.unread('admin.json');
  }

  /** A file of a directory that cannot be read; null where there is nothing to read. */
  private unread(name: string): SourceFile | null {
    const { path, fault } = this.base.directory;
    return fault === null || fault === ABSENT ? null : { path: join(path, name), content: new Uint8Array(), fault };
  }

  private get strays(): StrayFile[] {
    const { directory } = this.base;
    return (directory.files ?? []).flatMap((file) => {
      const instead = baseNameOf(basename(file.path));
      if (instead === basename(file.path)) return [];
      return [{ file, instead, isThere: directory.file(instead) !== null }];
    });
  }

  /** Reads directories that the state does not have yet. */
  read(paths: readonly string[]): void {
    for (const path of paths) {
      if (!this.routes.has(path)) this.routes.set(path, this.open(path, isDocumentName));
    }
  }

  /** The content of a file that a document names with `$location`; a change of it makes everything be judged anew. */
  readLocated(path: string): Uint8Array | null {
    const followed =
      this.located.get(path) ?? this.open(dirname(path), (name) => name === basename(path), isWholeLocated);
    this.located.set(path, followed);
    this.inUse.add(path);
    const file = followed.directory.file(basename(path));
    return file === null || file.fault !== undefined ? null : file.content;
  }

  /** Follows these directories, each every so many milliseconds (0: only when asked or watched), and no others. */
  follow(directories: ReadonlyMap<string, number>): void {
    this.read([...directories.keys()]);
    for (const [path, followed] of this.routes) {
      const interval = directories.get(path);
      if (interval !== undefined) this.start(followed, interval);
      else {
        this.stop(followed);
        this.routes.delete(path);
      }
    }
    for (const [path, followed] of this.located) {
      if (this.inUse.has(path)) continue;
      this.stop(followed);
      this.located.delete(path);
    }
    const intervals = [...directories.values()].filter((interval) => interval > 0);
    const shortest = intervals.length === 0 ? 0 : Math.min(...intervals);
    for (const one of [this.base, this.resources, ...this.located.values()]) this.start(one, shortest);
  }

  /** Looks at one file of a router's directory now. */
  lookAt(path: string): void {
    const followed = this.routes.get(dirname(path));
    if (followed === undefined) return;
    this.mark(followed.directory, new Set([basename(path)]));
    this.lookAtDirty();
  }

  /** Looks at everything now, also at what documents read from elsewhere. */
  scan(): void {
    this.judgeAnew();
    for (const { directory } of this.all) this.dirty.set(directory, 'all');
    this.lookAtDirty(true);
  }

  close(): void {
    this.isClosed = true;
    this.pace.close();
    if (this.settling !== null) clearTimeout(this.settling);
    for (const followed of this.all) this.stop(followed);
  }

  private get all(): readonly Followed[] {
    return [this.base, this.resources, ...this.routes.values(), ...this.located.values()];
  }

  private judgeAnew(): void {
    this.epoch++;
    this.inUse.clear();
  }

  private open(path: string, accepts: (name: string) => boolean, isWhole = isWholeDocument): Followed {
    const directory = new DocumentDirectory({ path: resolve(path), accepts, isWhole });
    this.lookAgain(directory, directory.look().unsettled);
    return { directory, interval: 0, timer: null, watch: null };
  }

  private start(followed: Followed, interval: number): void {
    const { directory } = followed;
    if (this.options.watch) {
      followed.watch ??= new DirectoryWatch(directory.path, (name) => this.note(followed, name));
    } else if (followed.interval !== interval) {
      if (followed.timer !== null) clearInterval(followed.timer);
      followed.timer = interval === 0 ? null : setInterval(() => this.note(followed, null), interval);
    }
    followed.interval = interval;
  }

  private stop(followed: Followed): void {
    if (followed.timer !== null) clearInterval(followed.timer);
    followed.watch?.close();
    this.dirty.delete(followed.directory);
  }

  private note({ directory }: Followed, name: string | null): void {
    this.mark(directory, name === null || !isDocumentName(name) ? 'all' : new Set([name]));
    this.pace.ask();
  }

  private mark(directory: DocumentDirectory, names: ReadonlySet<string> | 'all'): void {
    const marked = this.dirty.get(directory);
    if (names === 'all' || marked === 'all') this.dirty.set(directory, 'all');
    else this.dirty.set(directory, new Set([...(marked ?? []), ...names]));
  }

  private lookAtDirty(isAsked = false): void {
    const dirty = [...this.dirty];
    this.dirty.clear();
    const located = new Set([...this.located.values()].map(({ directory }) => directory));
    let changed = isAsked;
    for (const [directory, names] of dirty) {
      const look = directory.look(names === 'all' ? undefined : names);
      changed ||= look.changed;
      if (look.changed && located.has(directory)) this.judgeAnew();
      this.lookAgain(directory, look.unsettled);
    }
    // what was read here may be long, and so may what is made of it: others get a turn between the two
    if (changed) setImmediate(() => this.isClosed || this.options.changed());
  }

  /** What is in motion is looked at once more when it should have come to rest. */
  private lookAgain(directory: DocumentDirectory, names: Look['unsettled']): void {
    if (this.isClosed || names === null) return;
    this.mark(directory, names);
    this.settling ??= setTimeout(() => {
      this.settling = null;
      this.pace.ask();
    }, SETTLE);
  }
}

function isWholeDocument(file: SourceFile): boolean {
  return documentOf(file).value !== null;
}

/** Properties in lines have no end that could be missing. */
function isWholeLocated({ path, content }: SourceFile): boolean {
  return !path.endsWith('.json') || readJsonText(content).problems.length === 0;
}

function areWholeManifests(file: SourceFile): boolean {
  return manifestObjects(file).problems.length === 0;
}

/** A ConfigMap, for instance: the base configuration is in files of its own. */
function aside(object: ManifestObject): ManifestProblem {
  const message = 'has no effect: only Routes, SecretStores, AuditServices and Secrets are read here';
  return { file: object.file, object, problem: { code: 'no-effect', severity: 'warning', path: [], message } };
}

/** Also names that somebody may have taken for those of `admin.json`, `config.json` and `trust.json`. */
function isBaseName(name: string): boolean {
  return /^(?:admin|config|trust)\.(?:json|ya?ml)$/i.test(name);
}

function baseNameOf(name: string): string {
  return `${name.slice(0, name.indexOf('.')).toLowerCase()}.json`;
}
