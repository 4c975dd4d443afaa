import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type Resource, resourceKey } from '../../../contract/resources/resource.ts';
import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { TrustVersion } from './compile-trust.ts';
import { problemPart } from './condition-text.ts';
import type { GoodRoute } from './good-resources.ts';
import { isStillJudged, type JudgedRoute, judgeRoute } from './judged-route.ts';
import type { Pass } from './pass.ts';
import type { PassTerms } from './pass-terms.ts';
import { isOnlyPending } from './reference-fault.ts';
import type { RememberedRoute, ResourceVerdict } from './resource-verdict.ts';
import type { RouteChoice } from './route-choice.ts';
import { RouteEntries } from './route-entries.ts';
import { draftRoute, type RouteResourceDraft, routeIdOf } from './route-resource-draft.ts';
import { routeVerdict } from './route-verdict.ts';
import { isAuditLost } from './shared/audit-drafts.ts';
import { isServiceLost } from './shared/service-drafts.ts';
import { sameSpec } from './store-drafts.ts';

/** State of one Route that is kept between compilations. */
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
  /** What the last pass judged it with. */
  private terms: PassTerms | null = null;
  private trust: TrustVersion | null = null;
  private baseSources: readonly SourceVersion[] | null = null;
  private earlier: { readonly good: GoodRoute; readonly terms: PassTerms; readonly judged: JudgedRoute } | null = null;
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

  /** How this version was judged, and the one that was accepted last where that was asked. */
  get judgements(): readonly JudgedRoute[] {
    return [this.draft?.judged, this.earlier?.judged].filter((one) => one !== undefined);
  }

  /** Looks at the Route again. @returns false when it and all that it depends on are as they were */
  look(resource: Resource, good: GoodRoute | null, pass: Pass): boolean {
    const own = good?.uid === resource.uid ? good : null;
    if (this.isAsBefore(resource, own, pass)) return false;
    const isSame = this.draft !== null && sameSpec(this.resource, resource) && this.terms === pass.terms;
    this.resource = resource;
    this.terms = pass.terms;
    this.trust = pass.trust;
    this.baseSources = pass.baseSources;
    this.good = own;
    this.tenant = pass.trust.tenantOf(resource.namespace);
    this.others = null;
    this.own = null;
    this.verdict = null;
    if (this.tenant === null) return true;
    if (!isSame || !isStillJudged(this.draft!.judged, pass)) {
      this.draft = draftRoute(resource, pass);
    }
    this.noteSources(pass);
    this.own = this.thisVersion();
    return true;
  }

  /** What serves when this version cannot, the best first. */
  fallbacks(pass: Pass): readonly RouteChoice[] {
    this.others ??= this.tenant === null ? [] : this.otherChoices(pass);
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
    const tokens = JSON.stringify(spec).includes('&{') ? this.trust!.settings.tokens : undefined;
    this.good = { uid, generation, hash, identity: choice.identity, document, dataPlanes, ...(tokens && { tokens }) };
    return this.good;
  }

  private isAsBefore(resource: Resource, good: GoodRoute | null, pass: Pass): boolean {
    if (this.resource !== resource || this.good !== good || this.terms !== pass.terms) return false;
    if (this.trust !== pass.trust || this.baseSources !== pass.baseSources) return false;
    if (this.draft === null || this.tenant === null) return true;
    const { draft, earlier } = this;
    const seen = earlier?.judged.uses.length ?? 0;
    if (draft.judged.uses.length === 0 && seen === 0) return true;
    if (!isStillJudged(draft.judged, pass)) return false;
    if (earlier !== null && !isStillJudged(earlier.judged, pass)) return false;
    const before = this.sources;
    this.noteSources(pass);
    return this.sources === before;
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

  private otherChoices(pass: Pass): RouteChoice[] {
    const { draft, good, resource } = this;
    if (draft === null) return [];
    const { faults } = draft.judged;
    const isRevoked =
      faults.some((fault) => fault.reason !== 'Pending' && !isAuditLost(fault) && !isServiceLost(fault)) ||
      this.isWithdrawn(pass);
    const onInvalid = draft.onInvalid ?? pass.trust.settings.onInvalid;
    // what was not read yet is no fault of the Route, and neither is a name that another one took
    const keeps = onInvalid === 'KeepLastGood' || isOnlyPending(faults) || this.own !== null;
    const refusals = this.refusals();
    if (isRevoked || !keeps) return refusals;
    if (good !== null) {
      const last = this.lastGoodChoice(good, pass);
      if (last.length > 0 || !this.isAuditForgotten()) return [...last, ...refusals];
    }
    return [...this.rememberedChoice(resource, refusals[0] ?? null), ...refusals];
  }

  /** Whether an operator took back what the version that was accepted last was allowed, or tokens that it may hold. */
  private isWithdrawn({ trust }: Pass): boolean {
    const { draft, good, resource } = this;
    const accepted = good?.generation ?? resource.lastGood?.generation;
    const isRefused = draft?.judged.problems.some((one) => one.code === 'not-allowed' && isError(one)) === true;
    if (isRefused && accepted === resource.generation) return true;
    return good?.tokens !== undefined && !isDeepStrictEqual(good.tokens, trust.settings.tokens);
  }

  private lastGoodChoice(good: GoodRoute, pass: Pass): RouteChoice[] {
    const { body } = this.judgedAgain(good, pass);
    if (body === null || this.draft === null) return [];
    const { identity, generation } = good;
    this.noteSources(pass);
    const route = this.entries.serving({ ...this.parts(identity, generation), body });
    const dataPlanes = good.dataPlanes === undefined ? this.draft.dataPlanes : good.dataPlanes;
    const lastGood = { generation, hash: route.hash };
    return [{ serves: 'last-good', identity, generation, route, remembered: null, dataPlanes, lastGood }];
  }

  /** Whether the last good version lacks nothing but an AuditService, of which data planes may hold the last version. */
  private isAuditForgotten(): boolean {
    const { faults = [], problems = [] } = this.earlier?.judged ?? {};
    return faults.length > 0 && faults.every(isAuditLost) && !problems.some(isError);
  }

  /** What is around it may have changed, and so may what it refers to. */
  private judgedAgain(good: GoodRoute, pass: Pass): JudgedRoute {
    const { terms } = pass;
    const { namespace } = this.resource;
    const known = this.earlier;
    const isKnown = known?.good === good && known.terms === terms;
    if (isKnown && isStillJudged(known.judged, pass)) return known.judged;
    const judged = judgeRoute(good.document, good.identity.name, namespace, pass, true);
    this.earlier = { good, terms, judged };
    return judged;
  }

  private rememberedChoice({ lastGood }: Resource, refusal: RouteChoice | null): RouteChoice[] {
    const { draft } = this;
    if (lastGood === null || draft === null) return [];
    const id = routeIdOf(this.resource);
    const identity = draft.identity ?? { id, name: id };
    const { generation, hash } = lastGood;
    const fallback = refusal?.route ?? null;
    const remembered: RememberedRoute = { router: this.terms!.router.name, id, hash, generation, fallback };
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
    return { router: this.terms!.router.name, identity, tenant: this.tenant!, generation, sources };
  }

  /** Keeps the versions of all that it is made from, in the same array as long as they are the same. */
  private noteSources(pass: Pass): void {
    const { baseSources } = pass;
    const { uid, resourceVersion } = this.resource;
    const uses = [...(this.draft?.judged.uses ?? []), ...(this.earlier?.judged.uses ?? [])];
    const shared = [...new Set(uses.map(([key]) => key))].map((key) => pass.sharedSources(key));
    const parts = [uid, resourceVersion, baseSources, ...shared];
    if (parts.length === this.sourceParts.length && parts.every((part, at) => part === this.sourceParts[at])) {
      return;
    }
    this.sourceParts = parts;
    this.sources = [{ uid, resourceVersion }, ...shared.flat(), ...baseSources];
  }

  /** Why the version that was accepted last does not serve either. */
  private lostText(): string | null {
    const { earlier, good } = this;
    if (good === null || earlier === null || earlier.good !== good || earlier.judged.body !== null) return null;
    const { faults, problems } = earlier.judged;
    const [first] = [...faults.map(({ message }) => message), ...problems.filter(isError).map(problemPart)];
    return `generation ${good.generation} cannot serve any more: ${first ?? 'it is not valid'}`;
  }
}

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error';
}
