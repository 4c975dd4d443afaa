import { contentHash } from '../../../contract/document/canonical.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { TokenSources } from '../../../contract/document/token-resolver.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { SecretContent } from '../../../contract/resources/resource.ts';
import type { BaseEntry, RouteEntry } from '../../../contract/snapshot.ts';
import type { BaseRecord } from '../base-record.ts';
import type { Checker, FoundRouter } from '../checker.ts';
import { type CompiledAdmin, compileAdmin } from '../compile-admin.ts';
import type { InstanceState } from '../instance-state.ts';
import type { ResolveDocument } from '../resolve-document.ts';
import type { CompiledRoute } from '../snapshot.ts';
import { type SourceFile, sameContent } from '../source-file.ts';
import type { Verdict } from '../verdict.ts';
import {
  type CompiledTrust,
  compileTrust,
  restoredTrust,
  sameMeans,
  type TrustVersion,
  unknownShared,
} from './compile-trust.ts';
import type { CompiledResources } from './compiled-resources.ts';
import { type GoodResources, noGoodResources } from './good-resources.ts';
import { judgeChange, type ResourceChange, type ResourceOpinion } from './judge-change.ts';
import { type PassTerms, passTerms } from './pass-terms.ts';
import { ResourceCompiler } from './resource-compiler.ts';
import type { ResourceState } from './resource-state.ts';
import { knownIn } from './shared/service-drafts.ts';
import { SidecarBase } from './sidecar-base.ts';

/** The base configuration that holds. */
export interface CompiledBase {
  readonly document: JsonObject;
  readonly hash: string;
  readonly routers: readonly FoundRouter[];
  /** The routes that are files. */
  readonly routes: readonly CompiledRoute[];
}

/** Additions of the resources of an instance to its files. */
export interface WithResources {
  readonly resources: CompiledResources;
  /** Null when nothing can be served. */
  readonly base: BaseEntry | null;
  readonly verdicts: readonly Verdict[];
  readonly good: GoodResources;
}

interface KnownFile<T> {
  readonly file: SourceFile | null;
  readonly epoch: number;
  readonly made: T;
}

const gone: CompiledTrust = {
  version: null,
  problems: [
    {
      code: 'missing',
      severity: 'error',
      path: [],
      message: 'the file is missing',
      hint: 'restore it; {} gives all hosts to one tenant with all namespaces',
    },
  ],
};

const NO_ROUTER = 'config.json has no router for Routes (a Router without a directory)';

/** Compiles the custom resources of an instance, with `trust.json` and `admin.json`. */
export class InstanceResources {
  private readonly checker: Checker;
  private readonly tokens: TokenSources;
  private readonly resolve: ResolveDocument;
  private readonly compiler: ResourceCompiler;
  private trust: KnownFile<CompiledTrust> | null = null;
  private admin: KnownFile<CompiledAdmin> | null = null;
  private terms: { readonly router: FoundRouter; readonly trust: TrustVersion; readonly made: PassTerms } | null = null;
  private sidecars: { readonly entry: BaseEntry; readonly made: SidecarBase } | null = null;
  private entry: { readonly parts: readonly unknown[]; readonly made: BaseEntry } | null = null;

  constructor(checker: Checker, tokens: TokenSources, resolve: ResolveDocument) {
    this.checker = checker;
    this.tokens = tokens;
    this.resolve = resolve;
    this.compiler = new ResourceCompiler(checker);
  }

  compile(
    state: InstanceState,
    resources: ResourceState,
    base: CompiledBase | null,
    good: GoodResources = noGoodResources,
  ): WithResources {
    const trust = this.trustOf(resources.trust, state.epoch, good.trust);
    const held = trust.version ?? good.trust;
    const admin = state.admin === undefined ? null : this.adminOf(state.admin, state.epoch);
    const adminDocument = admin === null ? null : admin.settings === null ? good.admin : admin.document;
    const isAdminLost = admin !== null && adminDocument === null;
    const router = base === null ? null : routerOf(base.routers);
    const { keys: wantedSecrets } = this.compiler.wantedSecrets(resources);
    const said = admin?.verdict ?? null;
    const verdicts = said === null ? [] : [asServed(said, isAdminLost)];
    const trustProblems = [
      ...trust.problems,
      ...(held === null || base === null ? [] : unknownShared(held, base.document)),
    ];
    const told = {
      wantedSecrets,
      pendingSecrets: [...wantedSecrets].filter((key) => !resources.secrets.has(key)),
      trust: held?.settings ?? null,
      trustProblems,
      routerFault: base !== null && router === null ? NO_ROUTER : null,
    };
    if (base === null || held === null || isAdminLost || router === null) {
      const why = base === null ? 'config.json is not valid' : held === null ? 'trust.json is not valid' : NO_ROUTER;
      const waiting = this.compiler.wait(resources, isAdminLost ? 'admin.json is not valid' : why);
      const isServed = base !== null && held !== null && !isAdminLost;
      return {
        resources: {
          ...told,
          ...this.servicesOf(resources),
          ...{ verdicts: waiting, routes: [], remembered: [], shared: [], sidecarBase: null },
          certificateUsers: new Map(),
        },
        base: isServed ? this.entryOf(base, held, adminDocument, state) : null,
        verdicts,
        good: { trust: held, admin: adminDocument ?? good.admin, routes: good.routes },
      };
    }
    const judged = this.compiler.compile({
      state: resources,
      terms: this.termsOf(router, held),
      trust: held,
      baseSources: state.baseSources ?? [],
      good: good.routes,
      takenIds: new Set(base.routes.filter((route) => route.router === router.name).map(({ id }) => id)),
    });
    const { routes, remembered, certificates } = judged;
    const shared = [...judged.shared, ...certificates.resources];
    const certificateUsers = certificates.users;
    const entry = this.entryOf(base, held, adminDocument, state);
    const sidecarBase = this.sidecarBaseOf(entry, router, held);
    return {
      resources: {
        ...{ ...told, ...this.servicesOf(resources), verdicts: judged.verdicts },
        ...{ routes, remembered, shared, certificateUsers, sidecarBase },
      },
      base: entry,
      verdicts,
      good: { trust: held, admin: adminDocument ?? good.admin, routes: judged.good },
    };
  }

  /** What is good to begin with, by the record of a controller before this one. */
  restored(admin: BaseRecord['admin'], trust: BaseRecord['trust']): GoodResources {
    const isAdminSound = admin !== null && this.checker.admin(admin).settings !== null;
    return {
      ...noGoodResources,
      admin: isAdminSound ? admin : null,
      trust: trust && restoredTrust(trust.settings, trust.isFile),
    };
  }

  /** Takes the body of a route that a plane kept. @returns whether it was of use */
  recalled(entry: RouteEntry): boolean {
    return this.compiler.recalled(entry);
  }

  /** Reads the certificate of a Secret, if it has one. */
  readSecret(key: string, content: SecretContent): void {
    this.compiler.readSecret(key, content);
  }

  /** What would be said if one resource changed; null as long as nothing was judged. */
  judge(change: ResourceChange): ResourceOpinion | null {
    return judgeChange(change, this.compiler);
  }

  private servicesOf({ services }: ResourceState): Pick<CompiledResources, 'wantedServices' | 'pendingServices'> {
    const { keys: wantedServices } = this.compiler.services;
    const pendingServices = [...wantedServices].filter((key) => knownIn(services)?.has(key) !== true);
    return { wantedServices, pendingServices };
  }

  private trustOf(file: SourceFile | null, epoch: number, good: TrustVersion | null): CompiledTrust {
    // a file that was there would not be taken away to give everything to everybody
    if (file === null && good?.isFile === true) return gone;
    if (this.trust === null || !isSame(this.trust, file, epoch)) {
      this.trust = { file, epoch, made: compileTrust(file, this.resolve) };
    }
    return this.trust.made;
  }

  /** `prefix` of `admin.json`; undefined where the state has no such file, or none that is sound. */
  administrativePath({ admin, epoch }: InstanceState): string | undefined {
    return admin === undefined ? undefined : this.adminOf(admin, epoch).settings?.prefix;
  }

  private adminOf(file: SourceFile | null, epoch: number): CompiledAdmin {
    if (this.admin === null || !isSame(this.admin, file, epoch)) {
      this.admin = { file, epoch, made: compileAdmin(file, this.checker, this.tokens) };
    }
    return this.admin.made;
  }

  private termsOf(router: FoundRouter, trust: TrustVersion): PassTerms {
    const known = this.terms;
    if (known?.router === router && sameMeans(known.trust, trust)) return known.made;
    const made = passTerms(router, trust, this.checker);
    this.terms = { router, trust, made };
    return made;
  }

  private sidecarBaseOf(entry: BaseEntry, router: FoundRouter, { settings }: TrustVersion): SidecarBase {
    if (this.sidecars?.entry === entry) return this.sidecars.made;
    const made = new SidecarBase(entry, router, settings.sharedObjects, (key) => this.compiler.usedBy(key));
    this.sidecars = { entry, made };
    return made;
  }

  private entryOf(
    { document, hash }: CompiledBase,
    trust: TrustVersion,
    admin: JsonObject | null,
    { baseSources }: InstanceState,
  ): BaseEntry {
    const parts = [document, hash, trust, admin, baseSources];
    if (this.entry?.parts.every((part, at) => part === parts[at]) === true) return this.entry.made;
    const { plane } = trust;
    const shown = { document, ...(admin === null ? {} : { admin }), trust: plane };
    const hashed = contentHash({ ...shown, trust: { ...plane, tenants: plane.tenants.map((one) => ({ ...one })) } });
    const made = { ...shown, hash: hashed, ...(baseSources === undefined ? {} : { sources: baseSources }) };
    this.entry = { parts, made };
    return made;
  }
}

/** The router that Routes belong to. */
function routerOf(routers: readonly FoundRouter[]): FoundRouter | null {
  const open = routers.filter(({ directory }) => directory === null);
  return open.find(({ name }) => name === 'gateway._router') ?? open[0] ?? null;
}

function isSame<T>({ file, epoch }: KnownFile<T>, other: SourceFile | null, now: number): boolean {
  return epoch === now && (file === null || other === null ? file === other : sameContent(file, other));
}

/** An `admin.json` that is not sound leaves the one before it in force. */
function asServed(verdict: Verdict, isLost: boolean): Verdict {
  const problems: readonly Problem[] = verdict.problems;
  return verdict.serves === 'this' || isLost ? verdict : { ...verdict, serves: 'last-good', problems };
}
