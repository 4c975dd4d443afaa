import {
  type BaseEntry,
  type GroupSessionKeys,
  routeKeyText,
  type SharedResource,
} from '../../../contract/snapshot.ts';
import { changedItems } from '../../changed-items.ts';
import type { PlaneIdentity } from '../channel/plane-identity.ts';
import type { BaseForSidecars, PublishedState, RouteSelection, SessionKeysForPlanes } from '../published-state.ts';
import { askedLabels, isServed, type SelectablePlane } from './plane-selection.ts';
import { PlaneView, type ViewEntry, type ViewFrame } from './plane-view.ts';
import { EntryLengths } from './update-parts.ts';

/** Labels that were asked about and are remembered before it is looked which of them still are. */
const MOST_LABELS = 1_000;

interface SharedView {
  readonly view: PlaneView;
  readonly plane: SelectablePlane;
  /** Keys of the labels of all planes that joined it. */
  readonly labels: Set<string>;
  users: number;
  /** What its planes get of the base, where they are sidecars. */
  base: { readonly maker: BaseForSidecars; readonly made: BaseEntry } | null;
  sessionKeys: { readonly maker: SessionKeysForPlanes; readonly made: GroupSessionKeys } | null;
}

interface SelectedEntry {
  readonly entry: ViewEntry;
  readonly selection: RouteSelection;
}

/**
 * What each plane is to run. Planes that no selector tells apart share one view, and one changed route costs as much as
 * one route.
 */
export class PlaneViews {
  private readonly lengths = new EntryLengths();
  private readonly views = new Map<string, SharedView>();
  /** Keys of labels that selectors ask about. */
  private asked = new Set<string>();
  private state: PublishedState | null = null;
  private frame: ViewFrame | null = null;
  private selected = new Map<string, SelectedEntry>();

  /** Whether there is something to run. */
  get hasState(): boolean {
    return this.state !== null;
  }

  /** Takes a new state. Views of planes that it does not concern stay at their version. */
  publish(state: PublishedState): void {
    const before = this.state;
    const changes = this.changesTo(state);
    this.state = state;
    this.frame = frameOf(state);
    for (const [key, change] of changes) {
      if (change === null) this.selected.delete(key);
      else this.selected.set(key, change);
    }
    const relearned = this.learnLabels(changes.values());
    const isRegrouped = before?.defaultGroup !== state.defaultGroup || before?.grants?.mark !== state.grants?.mark;
    for (const [key, shared] of this.views) {
      // Its planes may be told apart otherwise than before: each asks for its view again, and is compared with it.
      if (isRegrouped || relearned.some((label) => shared.labels.has(label))) this.views.delete(key);
      else this.change(shared, changes);
    }
  }

  /** The view of a plane, which it has to `leave` again. Null before there is something to run. */
  join(identity: PlaneIdentity): PlaneView | null {
    if (this.frame === null) return null;
    const key = this.keyOf(identity);
    let shared = this.views.get(key);
    if (shared === undefined) {
      shared = {
        view: new PlaneView(this.lengths),
        plane: identity,
        labels: new Set(),
        users: 0,
        base: null,
        sessionKeys: null,
      };
      this.views.set(key, shared);
      this.change(shared, this.selected);
    }
    for (const label of Object.keys(identity.labels)) shared.labels.add(label);
    shared.users++;
    return shared.view;
  }

  /** The newest revision for planes like this one; null when none of them is here. */
  revisionFor(identity: PlaneIdentity): string | null {
    return this.views.get(this.keyOf(identity))?.view.revision ?? null;
  }

  leave(identity: PlaneIdentity, view: PlaneView): void {
    const key = this.keyOf(identity);
    const shared = this.views.get(key);
    if (shared?.view !== view) return;
    shared.users--;
    if (shared.users === 0) this.views.delete(key);
  }

  /** Whether the view of a plane is still the one that it joined. */
  isCurrent(identity: PlaneIdentity, view: PlaneView): boolean {
    return this.views.get(this.keyOf(identity))?.view === view;
  }

  private change(shared: SharedView, changes: ReadonlyMap<string, SelectedEntry | null>): void {
    const { view, plane } = shared;
    const { frame, state } = this;
    if (frame === null || state === null) return;
    const own = new Map<string, ViewEntry | null>();
    for (const [key, change] of changes) {
      const isOwn = change !== null && isServed(plane, change.selection, state);
      if (isOwn) own.set(key, change.entry);
      else if (view.entries.has(key)) own.set(key, null);
    }
    const ofAll = plane.isSidecar ? this.sidecarFrame(frame, state, shared, own) : frame;
    view.change({ ...ofAll, sessionKeys: sessionKeysOf(shared, state) }, own);
  }

  /** Sidecars get of the base what their own routes need: whoever makes Pods can read it. */
  private sidecarFrame(
    frame: ViewFrame,
    { sidecarBase }: PublishedState,
    shared: SharedView,
    changes: ReadonlyMap<string, ViewEntry | null>,
  ): ViewFrame {
    if (sidecarBase === undefined) return frame;
    if (changes.size > 0 || shared.base?.maker !== sidecarBase) {
      const entries = new Map([...shared.view.entries, ...changes]);
      const all = [...entries.values()].filter((entry) => entry !== null);
      const routes = all.flatMap(({ route, remembered }) => route ?? remembered?.fallback ?? []);
      const hasUnknown = all.some(({ remembered }) => remembered !== null);
      shared.base = { maker: sidecarBase, made: sidecarBase.of(routes, hasUnknown) };
    }
    return { ...frame, base: shared.base.made };
  }

  private changesTo(state: PublishedState): Map<string, SelectedEntry | null> {
    const changes = new Map<string, SelectedEntry | null>();
    const { gone, added } = changedItems(this.state?.snapshot.routes ?? [], state.snapshot.routes);
    for (const route of gone) changes.set(routeKeyText(route), null);
    for (const route of added) {
      const key = routeKeyText(route);
      changes.set(key, { entry: { key, route, remembered: null }, selection: state.selectionOf(route) });
    }
    for (const { router, id } of this.state?.remembered ?? []) {
      const key = routeKeyText({ router, id });
      if (this.selected.get(key)?.entry.route === null && !changes.has(key)) changes.set(key, null);
    }
    for (const remembered of state.remembered) {
      const key = routeKeyText(remembered);
      changes.set(key, { entry: { key, route: null, remembered }, selection: remembered.selection });
    }
    return changes;
  }

  /**
   * Learns which labels selectors ask about. @returns those that they ask about now and did not, or the other way round:
   * only planes that have one of them can be told apart otherwise, so that nobody can have the planes of others compared
   * again and again by asking about ever new ones
   */
  private learnLabels(changes: Iterable<SelectedEntry | null>): readonly string[] {
    const learned = new Set(labelsOf(changes)).difference(this.asked);
    for (const label of learned) this.asked.add(label);
    if (this.asked.size <= MOST_LABELS) return [...learned];
    const needed = new Set(labelsOf(this.selected.values()));
    if (needed.size > this.asked.size / 2) return [...learned];
    const forgotten = this.asked.difference(needed);
    this.asked = needed;
    return [...learned, ...forgotten];
  }

  /** Tells views apart by what selectors can ask: labels that none does, such as an index of a Pod, do not count. */
  private keyOf({ group, namespace, isSidecar, labels }: SelectablePlane): string {
    const asked = Object.entries(labels).filter(([label]) => this.asked.has(label));
    return JSON.stringify([group, isSidecar ? [namespace] : null, asked.sort(([a], [b]) => (a < b ? -1 : 1))]);
  }
}

function* labelsOf(selected: Iterable<SelectedEntry | null>): Generator<string> {
  for (const one of selected) {
    const selector = one?.selection.dataPlanes ?? null;
    if (selector !== null) yield* askedLabels(selector);
  }
}

function frameOf({ snapshot, services, certificateUsers = new Map(), seen, versionOf }: PublishedState): ViewFrame {
  const { revision, base, defaults } = snapshot;
  const resources = new Map<string, SharedResource>((snapshot.resources ?? []).map((one) => [one.key, one]));
  for (const [key, endpoints] of services ?? []) resources.set(key, endpoints);
  const goneAt = (uid: string): string | null => versionOf(uid) ?? seen;
  return { revision, base, defaults, seen, resources, certificateUsers, sessionKeys: null, goneAt };
}

/** Planes of one view have the same group, and sidecars of one view the same namespace. */
function sessionKeysOf(shared: SharedView, { sessionKeys: maker }: PublishedState): GroupSessionKeys | null {
  if (maker === undefined) shared.sessionKeys = null;
  else if (shared.sessionKeys?.maker !== maker) shared.sessionKeys = { maker, made: maker.of(shared.plane) };
  return shared.sessionKeys?.made ?? null;
}
