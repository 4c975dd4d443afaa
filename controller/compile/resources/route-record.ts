import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type Resource, resourceKey } from '../../../contract/resources/resource.ts';
import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { TrustVersion } from './compile-trust.ts';
import { problemPart } from './condition-text.ts';
import type { GoodRoute } from './good-resources.ts';
import type { Ground } from './ground.ts';
import { isStillJudged, type JudgedRoute, judgeRoute, type RoutePlace } from './judged-route.ts';
import { isOnlyPending } from './reference-fault.ts';
import type { RememberedRoute, ResourceVerdict } from './resource-verdict.ts';
import type { RouteChoice } from './route-choice.ts';
import { RouteEntries } from './route-entries.ts';
import { draftRoute, type RouteResourceDraft, routeIdOf } from './route-resource-draft.ts';
import { routeVerdict } from './route-verdict.ts';
import { sameSpec } from './store-drafts.ts';

/** What all Routes of one look at the cluster have in common. As long as it is the same object, so is what it holds. */
export interface Surroundings {
  readonly ground: Ground;
  readonly trust: TrustVersion;
  readonly baseSources: readonly SourceVersion[];
}

/** Where a Route finds what it refers to. */
export interface RouteRound {
  readonly surroundings: Surroundings;
  readonly place: Omit<RoutePlace, 'namespace'>;
  /** What the store under this key was made from; the same array as long as that is the same. */
  storeSources(key: string): readonly SourceVersion[];
}

/** What is known of one Route from one look at the cluster to the next. */
export class RouteRecord {
  readonly key: string;
  resource: Resource;
  tenant: string | null = null;
  good: GoodRoute | null = null;
  draft: RouteResourceDraft | null = null;
  /** This version, if it can be served. */
  own: RouteChoice | null = null;
  /** What the Route is served by, and the name that it has for that. */
  chosen: RouteChoice | null = null;
  claim: string | null = null;
  private readonly entries = new RouteEntries();
  private surroundings: Surroundings | null = null;
  private ground: Ground | null = null;
  private earlier: { readonly good: GoodRoute; readonly ground: Ground; readonly judged: JudgedRoute } | null = null;
  private others: readonly RouteChoice[] | null = null;
  private sources: readonly SourceVersion[] = [];
  private sourceParts: readonly unknown[] = [];
  private verdict: {
    readonly choice: RouteChoice | null;
    readonly owner: string | null;
    said: ResourceVerdict;
  } | null = null;

  constructor(resource: Resource) {
    this.key = resourceKey(resource);
    this.resource = resource;
  }

  /** Looks at the Route again. @returns false when it and all that it depends on are as they were */
  look(resource: Resource, good: GoodRoute | null, round: RouteRound): boolean {
    const { surroundings } = round;
    const own = good?.uid === resource.uid ? good : null;
    if (this.isAsBefore(resource, own, round)) return false;
    const isSame = this.draft !== null && sameSpec(this.resource, resource) && this.ground === surroundings.ground;
    this.resource = resource;
    this.surroundings = surroundings;
    this.ground = surroundings.ground;
    this.good = own;
    this.tenant = surroundings.trust.tenantOf(resource.namespace);
    this.others = null;
    this.own = null;
    this.verdict = null;
    if (this.tenant === null) return true;
    const place = this.placeIn(round);
    if (!isSame || !isStillJudged(this.draft!.judged, this.draft!.document, place)) {
      this.draft = draftRoute(resource, place);
    }
    this.noteSources(round);
    this.own = this.thisVersion();
    return true;
  }

  /** What serves when this version cannot, the best first. */
  fallbacks(round: RouteRound): readonly RouteChoice[] {
    this.others ??= this.tenant === null ? [] : this.otherChoices(round);
    return this.others;
  }

  /** What is to be said. @param owner the Route that has its name, if that is why it is not served */
  verdictOf(choice: RouteChoice | null, owner: string | null): ResourceVerdict {
    if (this.verdict === null || this.verdict.choice !== choice || this.verdict.owner !== owner) {
      const { resource, draft, tenant } = this;
      const said = routeVerdict({ resource, draft, tenant, choice, owner, lost: this.lostText() });
      this.verdict = { choice, owner, said };
    }
    return this.verdict.said;
  }

  /** The version to go back to from now on. */
  goodAfter(choice: RouteChoice | null): GoodRoute | null {
    const { dataPlanes = null, document = null } = this.draft ?? {};
    if (choice?.serves !== 'this' || document === null || choice.route === null) return this.good;
    const { hash } = choice.route;
    const { uid, generation, spec } = this.resource;
    const before = this.good;
    if (before?.document === document && before.hash === hash && before.generation === generation) return before;
    const tokens = JSON.stringify(spec).includes('&{') ? this.surroundings!.trust.settings.tokens : undefined;
    this.good = { uid, generation, hash, identity: choice.identity, document, dataPlanes, ...(tokens && { tokens }) };
    return this.good;
  }

  private isAsBefore(resource: Resource, good: GoodRoute | null, round: RouteRound): boolean {
    if (this.resource !== resource || this.surroundings !== round.surroundings || this.good !== good) return false;
    if (this.draft === null || this.tenant === null) return true;
    const { uses, audit } = this.draft.judged;
    const seen = this.earlier?.judged.uses.length ?? 0;
    if (uses.length === 0 && audit === null && seen === 0) return true;
    const place = this.placeIn(round);
    if (!isStillJudged(this.draft.judged, this.draft.document, place)) return false;
    if (this.earlier !== null && !isStillJudged(this.earlier.judged, this.earlier.good.document, place)) return false;
    const before = this.sources;
    this.noteSources(round);
    return this.sources === before;
  }

  private placeIn({ place }: RouteRound): RoutePlace {
    return { ...place, namespace: this.resource.namespace };
  }

  private thisVersion(): RouteChoice | null {
    const { draft, resource } = this;
    const body = draft?.judged.body ?? null;
    if (draft === null || body === null || draft.identity === null) return null;
    const route = this.entries.serving({ ...this.parts(draft.identity, resource.generation), body });
    const lastGood = { generation: resource.generation, hash: route.hash };
    const { identity, dataPlanes } = draft;
    return { serves: 'this', identity, generation: resource.generation, route, remembered: null, dataPlanes, lastGood };
  }

  private otherChoices(round: RouteRound): RouteChoice[] {
    const { draft, good, resource } = this;
    if (draft === null) return [];
    const { faults } = draft.judged;
    const isRevoked = (faults.length > 0 && !isOnlyPending(faults)) || this.isWithdrawn(round);
    const onInvalid = draft.onInvalid ?? round.surroundings.trust.settings.onInvalid;
    // what was not read yet is no fault of the Route, and neither is a name that another one took
    const keeps = onInvalid === 'KeepLastGood' || isOnlyPending(faults) || this.own !== null;
    const refusals = this.refusals();
    if (isRevoked || !keeps) return refusals;
    if (good !== null) return [...this.lastGoodChoice(good, round), ...refusals];
    return [...this.rememberedChoice(resource, refusals[0] ?? null), ...refusals];
  }

  /** Whether an operator took back what the version that was accepted last was allowed, or tokens that it may hold. */
  private isWithdrawn({ surroundings: { trust } }: RouteRound): boolean {
    const { draft, good, resource } = this;
    const accepted = good?.generation ?? resource.lastGood?.generation;
    const isRefused = draft?.judged.problems.some((one) => one.code === 'not-allowed' && isError(one)) === true;
    if (isRefused && accepted === resource.generation) return true;
    return good?.tokens !== undefined && !isDeepStrictEqual(good.tokens, trust.settings.tokens);
  }

  private lastGoodChoice(good: GoodRoute, round: RouteRound): RouteChoice[] {
    const { body } = this.judgedAgain(good, round);
    if (body === null || this.draft === null) return [];
    const { identity, generation } = good;
    this.noteSources(round);
    const route = this.entries.serving({ ...this.parts(identity, generation), body });
    const dataPlanes = good.dataPlanes === undefined ? this.draft.dataPlanes : good.dataPlanes;
    const lastGood = { generation, hash: route.hash };
    return [{ serves: 'last-good', identity, generation, route, remembered: null, dataPlanes, lastGood }];
  }

  /** What is around it may have changed, and so may what it refers to. */
  private judgedAgain(good: GoodRoute, round: RouteRound): JudgedRoute {
    const { ground } = round.surroundings;
    const place = this.placeIn(round);
    const known = this.earlier;
    if (known?.good === good && known.ground === ground && isStillJudged(known.judged, good.document, place)) {
      return known.judged;
    }
    const judged = judgeRoute(good.document, good.identity.name, place);
    this.earlier = { good, ground, judged };
    return judged;
  }

  private rememberedChoice({ lastGood }: Resource, refusal: RouteChoice | null): RouteChoice[] {
    const { draft } = this;
    if (lastGood === null || draft === null) return [];
    const id = routeIdOf(this.resource);
    const identity = draft.identity ?? { id, name: id };
    const { generation, hash } = lastGood;
    const fallback = refusal?.route ?? null;
    const remembered: RememberedRoute = { router: this.ground!.router.name, id, hash, generation, fallback };
    const { dataPlanes } = draft;
    return [{ serves: 'last-good', identity, generation, route: fallback, remembered, dataPlanes, lastGood }];
  }

  /** A refusal in the place of this version, else in that of the last good one. */
  private refusals(): RouteChoice[] {
    const { draft, good, resource } = this;
    const choice = (identity: RouteChoice['identity'], document: JsonObject): RouteChoice => ({
      serves: 'refuses',
      identity,
      generation: null,
      route: this.entries.refusing(document, this.parts(identity, resource.generation)),
      remembered: null,
      dataPlanes: draft?.dataPlanes ?? null,
      lastGood: good === null ? resource.lastGood : { generation: good.generation, hash: good.hash },
    });
    if (draft?.judged.conditionIsReadable === true && draft.identity !== null && draft.document !== null) {
      return [choice(draft.identity, draft.document)];
    }
    return good === null ? [] : [choice(good.identity, good.document)];
  }

  private parts(identity: RouteChoice['identity'], generation: number): Parameters<RouteEntries['refusing']>[1] {
    const { sources } = this;
    return { router: this.ground!.router.name, identity, tenant: this.tenant!, generation, sources };
  }

  /** Keeps the versions of all that it is made from, in the same array as long as they are the same. */
  private noteSources(round: RouteRound): void {
    const { baseSources } = round.surroundings;
    const { uid, resourceVersion } = this.resource;
    const uses = [...(this.draft?.judged.uses ?? []), ...(this.earlier?.judged.uses ?? [])];
    const stores = [...new Set(uses.map(([key]) => key))].map((key) => round.storeSources(key));
    const parts = [uid, resourceVersion, baseSources, ...stores];
    if (parts.length === this.sourceParts.length && parts.every((part, at) => part === this.sourceParts[at])) {
      return;
    }
    this.sourceParts = parts;
    this.sources = [{ uid, resourceVersion }, ...stores.flat(), ...baseSources];
  }

  /** Why the version that was accepted last does not serve either. */
  private lostText(): string | null {
    const { earlier, good } = this;
    if (good === null || earlier === null || earlier.good !== good || earlier.judged.body !== null) return null;
    const { faults, problems } = earlier.judged;
    const [first] = [...faults.map(({ message }) => message), ...problems.filter(isError).map(problemPart)];
    return `generation ${good.generation} cannot serve any more: ${first ?? 'it is not sound'}`;
  }
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error';
}
