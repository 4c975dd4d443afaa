import type { AdminSettings } from '../../contract/admin-settings.ts';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import type { Origin } from '../../contract/reach.ts';
import type { ServiceUse } from '../../contract/resources/service-reference.ts';
import type { Kind } from '../../contract/vocabulary/reference.ts';

/** Judges documents. It is handed in, so that the code that builds objects is the code that judges their documents. */
export interface Checker {
  /** The value of a configuration expression, to which these are names. @throws ValueProblem */
  evaluate(expression: string, constants: ReadonlyMap<string, JsonValue>, origin?: Origin): JsonValue;
  admin(document: JsonObject): AdminJudgement;
  /** @param administrativePath `prefix` of `admin.json`: conditions of routes that test it get a warning */
  base(document: JsonObject, administrativePath?: string): Judgement;
  /** Judges a certificate with its chain and its private key, in PEM, as data planes would use them. */
  certificate(chain: string, privateKey: string): JudgedCertificate | UnusableCertificate;
}

/** A certificate that data planes can show. */
export interface JudgedCertificate {
  readonly problem: null;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Whether it is for a host, or for all hosts that a wildcard stands for. */
  covers(host: string): boolean;
}

/** A certificate that data planes cannot show, and why; nothing of its key is said. */
export interface UnusableCertificate {
  readonly problem: string;
}

/** Verdict on `admin.json`. */
export interface AdminJudgement {
  /** Null when there are errors. */
  readonly settings: AdminSettings | null;
  readonly problems: readonly Problem[];
}

/** Verdict on a document. */
export interface Judgement {
  /** Whether it can be built. */
  readonly sound: boolean;
  /** Whether it is known which requests it is about, which may be so for one that is not sound. */
  readonly conditionIsReadable: boolean;
  readonly problems: readonly Problem[];
  /** The routers it declares; of a document that is not sound, those that can be read. */
  readonly routers: readonly FoundRouter[];
  /** Names in it that lead nowhere. Each of them is a problem too. */
  readonly unknownReferences: readonly UnknownReference[];
  /** The Services of the cluster that it sends requests to. Only of tenants. */
  readonly services: readonly (ServiceUse & { readonly path: Path })[];
}

/** A name of an object that is not there. */
export interface UnknownReference {
  /** What the object was to be good for. */
  readonly kind: Kind;
  readonly name: string;
  readonly path: Path;
}

/** Permissions and resources of a tenant for its documents. */
export interface TenantMeans {
  /** Names of objects of operators that it may refer to although they hold secrets. */
  readonly sharedObjects: ReadonlySet<string>;
  /** The files of its secret stores, in base64 by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Returns the type of the shared object that a name of no heap stands for; null for none. */
  lend?(kind: Kind, name: string): string | null;
}

/** A router that a document declares. */
export interface FoundRouter {
  /** With the names of the scopes around it, such as `gateway._router`. */
  readonly name: string;
  /** Where it is declared. */
  readonly path: Path;
  /** Null for the instance's own directory of routes. */
  readonly directory: string | null;
  /** How often its directory is looked at, in milliseconds; 0 for once. */
  readonly scanInterval: number;
  readonly hasDefaultHandler: boolean;
  /** Judges a document as a route of this router: an operator's, or with these means a tenant's. */
  route(document: JsonObject, name: string, means?: TenantMeans): Judgement;
  /** Judges `{name, type, config}` as a secret store that a tenant wrote. Paths begin at the declaration. */
  store(declaration: JsonObject, means: TenantMeans): SharedJudgement;
  /** Judges `{name, type, config}` as an audit service that a tenant wrote. Paths begin at the declaration. */
  auditService(declaration: JsonObject, means: TenantMeans): SharedJudgement;
  /** Names of the objects of the document with the router that a tenant's route refers to. */
  uses(document: JsonObject, name: string, means: TenantMeans): readonly string[];
  /** Names of the objects of that document that tenants may refer to. */
  usable(sharedObjects: ReadonlySet<string>): readonly string[];
  /** That document without what neither its handler nor the objects with these names need. */
  needed(used: Iterable<string>): JsonObject;
}

/** Verdict on a single object that Routes can share. */
export type SharedJudgement = Pick<Judgement, 'problems' | 'unknownReferences'>;
