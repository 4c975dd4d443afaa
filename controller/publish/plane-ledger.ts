import { type Clock, systemClock } from '../../platform/clock.ts';
import type { PlaneIdentity } from './channel/plane-identity.ts';
import type { PlaneFacts } from './plane-facts.ts';

export interface PlaneLedgerOptions {
  readonly clock?: Clock;
  /** How long a plane that left still counts, in milliseconds: it may be on its way to another controller. */
  readonly grace?: number;
  /**
   * Whether a plane without a stream may still take requests; null when that is not known now. By default it does not.
   * As long as it may, it counts: it serves what it ran when its stream ended.
   */
  serves?(plane: PlaneFacts): Promise<boolean | null>;
  /** Milliseconds between two looks at a plane without a stream. */
  readonly recheck?: number;
  /** How long a plane that came may take to run something before it counts as one that does not. */
  readonly settle?: number;
  /** Hears which routes may stand otherwise than before, by `routeKeyText`; null for all: planes came or went. */
  changed(routes: readonly string[] | null): void;
}

interface PlaneAccount {
  /** What each controller says that has a stream with it, by the controller's name; the one heard of last is last. */
  readonly facts: Map<string, PlaneFacts>;
  /** Calls off what is to happen when it has settled. */
  settling: (() => void) | null;
  /** Calls off its being forgotten. */
  leaving: (() => void) | null;
  /** What counts while nobody has a stream with it. */
  last: PlaneFacts;
}

/** All planes of all controllers, as far as this controller has heard of them. */
export class PlaneLedger {
  private readonly options: PlaneLedgerOptions;
  private readonly clock: Clock;
  private readonly accounts = new Map<string, PlaneAccount>();
  /** Planes that take requests as far as the cluster knows, by id. */
  private ready = new Map<string, PlaneFacts>();

  constructor(options: PlaneLedgerOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
  }

  /** Planes with a stream, those that left a moment ago, and those that serve without one. */
  get planes(): readonly PlaneFacts[] {
    return [...[...this.accounts.values()].map(({ last }) => last), ...this.awaited];
  }

  /** Those that Routes count: a plane that has just come and takes no requests yet gets a moment first. */
  get counted(): readonly PlaneFacts[] {
    const known = [...this.accounts].filter(
      ([id, { last, settling }]) => last.revision !== null || settling === null || this.ready.has(id),
    );
    return [...known.map(([, { last }]) => last), ...this.awaited];
  }

  /** Whether some controller has a stream with it now. */
  isConnected(plane: string): boolean {
    return (this.accounts.get(plane)?.facts.size ?? 0) > 0;
  }

  /**
   * Something about a plane is new.
   * @param routes what it runs otherwise than before, by `routeKeyText`; null when that is not known
   */
  heard(facts: PlaneFacts, routes: readonly string[] | null): void {
    const { id } = facts.identity;
    const account = this.accounts.get(id) ?? this.open(facts);
    const before = account.last;
    const isNew = account.facts.size === 0 && account.leaving === null;
    account.leaving?.();
    account.leaving = null;
    // Clocks of controllers differ: the stream that was heard of last is the newest, however often others are told again.
    if (account.facts.get(facts.controller)?.connectedSince !== facts.connectedSince) {
      account.facts.delete(facts.controller);
    }
    account.facts.set(facts.controller, facts);
    account.last = newest(account.facts) ?? facts;
    if (account.last.controller !== facts.controller) return;
    const countsAnew = before.revision === null && facts.revision !== null;
    const isAnother = isNew || countsAnew || before.controller !== facts.controller;
    const sameLabels = before.identity === facts.identity || sameIdentity(before, facts);
    this.options.changed(isAnother || !sameLabels ? null : routes);
  }

  /** Takes the planes whose Pods are Ready now. Those that no controller has told of count as running nothing. */
  expect(planes: readonly PlaneIdentity[]): void {
    const before = this.ready;
    this.ready = new Map(planes.map((identity) => [identity.id, this.awaitedFacts(identity, before.get(identity.id))]));
    const isSame = before.size === this.ready.size && planes.every(({ id }) => before.get(id) === this.ready.get(id));
    if (!isSame) this.options.changed(null);
  }

  /** Takes planes that an earlier leader knew of and no controller reaches. They count if they may take requests. */
  remember(planes: readonly PlaneFacts[]): void {
    for (const facts of planes) {
      if (this.accounts.has(facts.identity.id)) continue;
      const account: PlaneAccount = { facts: new Map(), settling: null, leaving: () => {}, last: facts };
      this.accounts.set(facts.identity.id, account);
      void this.look(facts.identity.id, account);
    }
  }

  /** The stream of a plane with a controller has ended. */
  left(plane: string, controller: string): void {
    const account = this.accounts.get(plane);
    if (account === undefined || !account.facts.delete(controller)) return;
    const other = newest(account.facts);
    if (other !== null) {
      account.last = other;
      this.options.changed(null);
      return;
    }
    account.leaving = this.clock.after(this.options.grace ?? 10_000, () => void this.look(plane, account));
  }

  /** A controller is not heard any more, and with it all of its planes. */
  controllerLeft(controller: string): void {
    for (const plane of [...this.accounts.keys()]) this.left(plane, controller);
  }

  close(): void {
    for (const { settling, leaving } of this.accounts.values()) {
      settling?.();
      leaving?.();
    }
    this.accounts.clear();
    this.ready.clear();
  }

  private get awaited(): readonly PlaneFacts[] {
    return [...this.ready].filter(([id]) => !this.accounts.has(id)).map(([, facts]) => facts);
  }

  /** @param before the same one if nothing about the plane is new */
  private awaitedFacts(identity: PlaneIdentity, before: PlaneFacts | undefined): PlaneFacts {
    const facts: PlaneFacts = {
      ...{ identity, controller: '', version: '', pending: null, revision: null, lastReport: null },
      connectedSince: this.clock.wall(),
      running: new Map(),
      problems: new Map(),
      isAwaited: true,
    };
    return before !== undefined && sameIdentity(before, facts) ? before : facts;
  }

  private open(facts: PlaneFacts): PlaneAccount {
    const { id } = facts.identity;
    const account: PlaneAccount = {
      facts: new Map(),
      settling: null,
      leaving: null,
      last: facts,
    };
    account.settling = this.clock.after(this.options.settle ?? 15_000, () => {
      account.settling = null;
      if (account.last.revision === null) this.options.changed(null);
    });
    this.accounts.set(id, account);
    return account;
  }

  /** Forgets a plane without a stream, unless it may still take requests: then it is looked at again. */
  private async look(plane: string, account: PlaneAccount): Promise<void> {
    const { leaving } = account;
    const { serves: ask = async () => false } = this.options;
    const serves = await ask(account.last).catch(() => null);
    if (this.accounts.get(plane) !== account || account.leaving !== leaving) return;
    if (serves === false) {
      this.forget(plane);
      return;
    }
    account.leaving = this.clock.after(this.options.recheck ?? 5000, () => void this.look(plane, account));
    if (account.last.cutOffSince !== undefined) return;
    account.last = { ...account.last, cutOffSince: this.clock.wall() };
    this.options.changed(null);
  }

  private forget(plane: string): void {
    this.accounts.get(plane)?.settling?.();
    this.accounts.delete(plane);
    this.options.changed(null);
  }
}

/** Of several streams with one plane, the one that was heard of last: the others are dead, which is not known yet. */
function newest(facts: ReadonlyMap<string, PlaneFacts>): PlaneFacts | null {
  return [...facts.values()].at(-1) ?? null;
}

function sameIdentity({ identity: a }: PlaneFacts, { identity: b }: PlaneFacts): boolean {
  const names = Object.keys(a.labels);
  return (
    a.group === b.group &&
    a.namespace === b.namespace &&
    a.isSidecar === b.isSidecar &&
    names.length === Object.keys(b.labels).length &&
    names.every((name) => a.labels[name] === b.labels[name])
  );
}
