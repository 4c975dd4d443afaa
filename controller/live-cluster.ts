import type { RouteEntry } from '../contract/snapshot.ts';
import type { TrustSettings } from '../contract/trust-settings.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import type { BaseFiles } from './cluster/base/base-files.ts';
import type { Compilation, Compiler } from './compile/compiler.ts';
import type { InstanceState } from './compile/instance-state.ts';
import { type LastGood, nothingGood } from './compile/last-good.ts';
import { allowedHosts } from './compile/resources/compile-trust.ts';
import { planeNamespaces } from './compile/resources/forbidden-addresses.ts';
import type { ResourceState } from './compile/resources/resource-state.ts';
import type { SourceFile } from './compile/source-file.ts';
import type { PublishedState } from './publish/published-state.ts';
import { publishedCompilation } from './published-compilation.ts';
import { isSameButStatus } from './same-but-status.ts';
import { Pace } from './source/pace.ts';
import { TimeShare } from './source/time-share.ts';

/** Source that follows the cluster. */
export interface FollowedCluster {
  readonly state: ResourceState;
  readonly baseFiles: BaseFiles;
  /** The version up to which it is known which Routes there are; null before that is known. */
  readonly routesSeen: string | null;
  /** The version of the Route with this uid, or the one at which it was gone; null when nothing is known of it. */
  routeVersion(uid: string): string | null;
  /** Resolves when everything but Secrets has been listed once. */
  readonly synced: Promise<void>;
  /** Follows these Secrets, as `namespace/name`, and no others. */
  follow(wanted: Iterable<string>): void;
  /** Follows the endpoints of these Services, as `namespace/name`, and no others. */
  followServices?(wanted: ReadonlySet<string>): void;
  /** Sets which host names Services of type ExternalName may stand for. */
  allowExternalNames?(allows: (externalName: string) => boolean): void;
  /** Follows the Pods of planes in these namespaces. */
  followPlanes?(namespaces: Iterable<string>): void;
  /** Whether some of them are still to be listed. */
  readonly isAwaitingPlanes?: boolean;
}

/** A compilation and what it was made of. */
export interface ClusterCompilation {
  readonly compilation: Compilation;
  readonly state: ResourceState;
  readonly base: BaseFiles;
  /** What planes are to be brought; null when there is nothing to run. */
  readonly published: PublishedState | null;
  /** How long it took, in milliseconds. */
  readonly took: number;
}

export interface LiveClusterOptions {
  readonly compiler: Compiler;
  readonly source: FollowedCluster;
  /** What was good before this controller started; by default nothing. */
  readonly begin?: Promise<LastGood>;
  /** Hears of every compilation, beginning with the first one that may be published. */
  compiled(made: ClusterCompilation): void;
  /** Hears that what the cluster holds could not be compiled. */
  failed(error: unknown): void;
  readonly clock?: Clock;
  /** Milliseconds between two compilations while things keep changing; by default `compilationGap`. */
  readonly gap?: number;
  /**
   * How long the first compilation that is published waits for the next Secret and for Pods, in milliseconds: without
   * Secrets Routes would refuse, and data planes would lose the certificates of hosts.
   */
  readonly patience?: number;
}

/** What a compilation was made of. */
interface SeenCluster {
  readonly state: ResourceState;
  readonly base: BaseFiles;
}

/** Milliseconds that changes of nothing but statuses wait: our own writes must not hold up what people write. */
const STATUS_PAUSE = 500;

/** Milliseconds between two compilations while things keep changing: when they cost little, and at most. */
const GAP = { least: 10, most: 50 };
/** Part of the time for compilations before the gap grows, and how many milliseconds of them may be done at once. */
const SHARE = { part: 0.2, reserve: 100 };

/** Times of patience after which the controller waits for Secrets no more, whether some still arrive or not. */
const MOST_PATIENCE = 12;

const NO_DIRECTORIES: ReadonlyMap<string, readonly SourceFile[]> = new Map();

/** An instance that follows a cluster: compiles at once when something changed, then at most once in every gap. */
export class LiveCluster {
  private readonly options: LiveClusterOptions;
  private readonly clock: Clock;
  private readonly pace: Pace;
  private readonly time = new TimeShare(SHARE.part, SHARE.reserve);
  /** What planes were brought last; null before that. */
  published: PublishedState | null = null;
  private lastGood: LastGood = nothingGood;
  private followed: ReadonlySet<string> | null = null;
  private services: ReadonlySet<string> | null = null;
  private externalNames: TrustSettings['externalNames'] | null = null;
  /** Those whose planes are followed. */
  private groups: TrustSettings['groups'] | null = null;
  /** Calls off the end of the wait for Secrets; null when it is over. */
  private giveUp: (() => void) | null = null;
  /** Secrets that the first compilation to be published waits for. */
  private readonly awaited = new Set<string>();
  private waitsUntil = 0;
  /** What was compiled last. */
  private seen: SeenCluster | null = null;
  private statusChanged: (() => void) | null = null;
  private phase: 'listing' | 'reading' | 'live' | 'closed' = 'listing';

  constructor(options: LiveClusterOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.pace = new Pace(options.gap ?? (() => compilationGap(this.time.wait)), () =>
      this.time.spend(() => this.tryToCompile()),
    );
  }

  /** Begins as soon as everything was listed once. */
  async start(): Promise<void> {
    const [begin = nothingGood] = await Promise.all([this.options.begin, this.options.source.synced]);
    if (this.phase !== 'listing') return;
    this.lastGood = begin;
    this.phase = 'reading';
    this.waitsUntil = this.clock.steady() + MOST_PATIENCE * this.patience;
    this.waitOn();
    this.pace.ask();
  }

  private get patience(): number {
    return this.options.patience ?? 5000;
  }

  private waitOn(): void {
    this.giveUp?.();
    const left = Math.max(0, this.waitsUntil - this.clock.steady());
    this.giveUp = this.clock.after(Math.min(this.patience, left), () => {
      this.phase = 'live';
      this.pace.ask();
    });
  }

  /** Takes the Secrets that have arrived, each in a turn of its own. @returns whether others are still missing */
  private isReading(): boolean {
    const { compiler, source } = this.options;
    const { secrets } = source.state;
    const before = this.awaited.size;
    for (const key of this.awaited) {
      const content = secrets.get(key);
      if (content === undefined) continue;
      this.awaited.delete(key);
      if (content !== null) compiler.readSecret(key, content);
    }
    if (this.awaited.size < before) this.waitOn();
    return this.awaited.size > 0;
  }

  /**
   * Something in the cluster has changed.
   * @param isStatusOnly whether the source knows that nothing but statuses has: then the state is not looked at, since a
   * copy of it for each of thousands of statuses would fill the memory
   */
  changed(isStatusOnly = false): void {
    if (this.phase !== 'reading' && this.phase !== 'live') return;
    // a compilation would not be published, and thousands of Secrets would make as many of them
    if (this.phase === 'reading' && this.awaited.size > 0 && (isStatusOnly || this.isReading())) return;
    if (this.seen !== null && (isStatusOnly || this.isAsSeen(this.seen))) {
      this.statusChanged ??= this.clock.after(STATUS_PAUSE, () => this.pace.ask());
    } else this.pace.ask();
  }

  /** A plane sent routes that were known by their hash only. */
  recalled(entries: readonly RouteEntry[]): void {
    const used = entries.filter((entry) => this.options.compiler.recalled(entry));
    if (used.length > 0) this.pace.ask();
  }

  close(): void {
    this.phase = 'closed';
    this.giveUp?.();
    this.statusChanged?.();
    this.pace.close();
  }

  private isAsSeen(seen: SeenCluster): boolean {
    const { state, baseFiles } = this.options.source;
    return seen.base === baseFiles && isSameButStatus(seen.state, state);
  }

  /** What cannot be compiled changes nothing: planes go on with what they have. */
  private tryToCompile(): void {
    try {
      this.compile();
    } catch (error) {
      this.options.failed(error);
    }
  }

  private compile(): void {
    const { compiler, source } = this.options;
    const began = this.clock.steady();
    const resources = source.state;
    const base = source.baseFiles;
    this.seen = { state: resources, base };
    this.statusChanged?.();
    this.statusChanged = null;
    const seen = source.routesSeen;
    const compilation = compiler.compile(instanceState(resources, base), this.lastGood);
    this.lastGood = compilation.lastGood;
    const took = this.clock.steady() - began;
    this.follow(compilation);
    if (this.phase === 'reading') {
      const { pendingSecrets = [], pendingServices = [] } = compilation.resources ?? {};
      for (const key of pendingSecrets) this.awaited.add(key);
      const isPending = pendingSecrets.length + pendingServices.length > 0;
      if (isPending || source.isAwaitingPlanes === true) return;
      this.phase = 'live';
      this.giveUp?.();
    }
    const published = publishedCompilation(compilation, {
      seen,
      versionOf: (uid) => source.routeVersion(uid),
    });
    this.published = published ?? this.published;
    this.options.compiled({ compilation, state: resources, base, published, took });
  }

  private follow({ resources }: Compilation): void {
    const groups = resources?.trust?.groups;
    if (groups !== undefined && groups !== this.groups) {
      this.groups = groups;
      this.options.source.followPlanes?.(planeNamespaces(groups));
    }
    const externalNames = resources?.trust?.externalNames;
    if (externalNames !== undefined && externalNames !== this.externalNames) {
      this.externalNames = externalNames;
      this.options.source.allowExternalNames?.(allowedHosts(externalNames));
    }
    if (resources !== undefined && resources.wantedServices !== this.services) {
      this.services = resources.wantedServices;
      this.options.source.followServices?.(resources.wantedServices);
    }
    if (resources === undefined || resources.wantedSecrets === this.followed) return;
    this.followed = resources.wantedSecrets;
    this.options.source.follow(resources.wantedSecrets);
  }
}

/** Milliseconds between two compilations. @param wait milliseconds until compilations have their part of the time again */
export function compilationGap(wait: number): number {
  return Math.min(GAP.most, Math.max(GAP.least, wait));
}

function instanceState(resources: ResourceState, { config, admin, strays, source }: BaseFiles): InstanceState {
  return {
    config,
    admin,
    strays,
    directories: NO_DIRECTORIES,
    faults: new Map(),
    epoch: 0,
    baseSources: source === null ? [] : [source],
    resources,
  };
}
