import type { JsonObject } from './document/json-value.ts';
import type { ForbiddenPlace } from './egress.ts';

/** An object of the cluster at one moment. Versions of one object are ordered; see `isOlder`. */
export interface SourceVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A route as planes receive it: tokens and properties resolved, its name and place decided. */
export interface RouteEntry {
  /** The qualified name of its router, such as `gateway._router`. */
  readonly router: string;
  readonly id: string;
  readonly name: string;
  readonly document: JsonObject;
  /** Hash of everything above, `refuses`, tenant, resources, files and stores, by `routeHash`: the same hash is the same route. */
  readonly hash: string;
  /** Set when the route must take its requests and refuse them: no version of it may serve. */
  readonly refuses?: true;
  /** The tenant it belongs to: it gets requests for that tenant's hosts only, and may do what a tenant may. */
  readonly tenant?: string;
  /** The shared objects that it refers to: by the name that its document has for each, the key of the resource. */
  readonly resources?: Readonly<Record<string, string>>;
  /** Only from older controllers. The files of its secret stores, in base64 by path: never logged, never shown. */
  readonly files?: Readonly<Record<string, string>>;
  /** Only from older controllers. Names of the objects of its heap that stand for SecretStores. */
  readonly stores?: readonly string[];
  /** What it was made from: the resource itself first, then what it refers to. Not part of the hash. */
  readonly sources?: readonly SourceVersion[];
  /** Which generation of its resource this is. Not part of the hash. */
  readonly generation?: number;
}

/** Tenant with its hosts. */
export interface Tenant {
  readonly name: string;
  /** Lower case: `shop.example.com`, `*.example.com` for everything below, or `*`. */
  readonly hosts: readonly string[];
}

/** Permissions of tenants on data planes, set by the operator. */
export interface PlaneTrust {
  readonly tenants: readonly Tenant[];
  /** What tenants' routes may connect to although it is refused by default, as `contract/egress.ts` reads it. */
  readonly egress: readonly string[];
  /** Names of objects of `config.json` that tenants may refer to although they hold secrets. */
  readonly sharedObjects: readonly string[];
  /** Memory for the audit events of one tenant that wait in queues, in bytes; absent for the default of data planes. */
  readonly auditQueueBytes?: number;
}

/** `config.json`, resolved. */
export interface BaseEntry {
  readonly document: JsonObject;
  /** `admin.json`, resolved: what connectors are opened with. Planes act on it when they start. */
  readonly admin?: JsonObject;
  /** Hash of the documents and of the trust. */
  readonly hash: string;
  /** Absent where there are no tenants: all routes are an operator's. */
  readonly trust?: PlaneTrust;
  readonly sources?: readonly SourceVersion[];
}

/** Addresses that connections for tenants are never opened to, whatever the name they were found by. */
export interface ForbiddenAddresses {
  readonly type: 'forbidden-addresses';
  /** Unique among the resources of a snapshot, such as `forbidden/api-server`. */
  readonly key: string;
  /** Hash of everything else, by `sharedResourceHash`: the same key and hash are the same resource. */
  readonly hash: string;
  readonly places: readonly ForbiddenPlace[];
}

/** Objects that several routes refer to, such as a SecretStore. Data planes build them for each tenant that uses them. */
export interface SharedObjects {
  readonly type: 'objects';
  /** Kind, namespace and name of what they were made from, such as `SecretStore/shop/issuer-keys`. */
  readonly key: string;
  /** Hash of everything but the sources, by `sharedResourceHash`. */
  readonly hash: string;
  /** Declarations as in a heap. Routes refer to the first one; it refers to the others by their names. */
  readonly objects: readonly JsonObject[];
  /** The files that the objects read, in base64 by path. They are secret: never logged, never shown. */
  readonly files: Readonly<Record<string, string>>;
  /** What it was made from. Not part of the hash. */
  readonly sources?: readonly SourceVersion[];
}

/**
 * Keys that seal the sessions of routes without a session manager of their own. Each group of planes has its own, and so
 * have the sidecars of each namespace.
 */
export interface GroupSessionKeys {
  readonly type: 'session-keys';
  /** Always `SESSION_KEYS`. */
  readonly key: string;
  /** Hash of everything but the sources, by `sharedResourceHash`. */
  readonly hash: string;
  /** AES keys of 32 bytes in base64url: the first one encrypts, all decrypt. They are secret: never logged, never shown. */
  readonly keys: readonly string[];
  /** The Secret that they were made from. Not part of the hash. */
  readonly sources?: readonly SourceVersion[];
}

/** A target of a Service, such as a Pod. */
export interface ServiceTarget {
  /** Numeric, one of each address family that it has, in the order that the Service prefers. */
  readonly addresses: readonly string[];
  /** Its port for each port of the Service that it serves, by the name of that port; empty for a port without a name. */
  readonly ports: Readonly<Record<string, number>>;
  /** Set while it terminates and still answers: it gets requests only where nothing else could take them. */
  readonly draining?: true;
  /** Zones whose clients are to use it; absent where the cluster does not say. */
  readonly zones?: readonly string[];
}

/** Endpoints of a Service of the cluster that routes send requests to. */
export interface ServiceEndpoints {
  readonly type: 'service-endpoints';
  /** Namespace and name of the Service, such as `Service/shop/orders`. */
  readonly key: string;
  /** Hash of everything but the sources, by `sharedResourceHash`. */
  readonly hash: string;
  /** TCP ports of the Service. */
  readonly ports: readonly { readonly name: string; readonly port: number }[];
  readonly targets: readonly ServiceTarget[];
  /** Host name outside of the cluster that the Service stands for: its addresses are the endpoints. */
  readonly externalName?: string;
  /** The version of the cluster up to which its EndpointSlices are known. Not part of the hash. */
  readonly sources?: readonly SourceVersion[];
}

/** Key of the one resource with session keys. */
export const SESSION_KEYS = 'session-keys';

/** A certificate for hosts of a tenant: TLS connectors show it to clients that ask for one of them. */
export interface ServerCertificate {
  readonly type: 'server-certificate';
  /** Namespace and name of its Secret, such as `Certificate/shop/shop-tls`. */
  readonly key: string;
  /** Hash of everything but the sources, by `sharedResourceHash`. */
  readonly hash: string;
  /** The tenant whose hosts they are. It is shown for no host of another one. */
  readonly tenant: string;
  /**
   * The hosts that it is for, in lower case; `*.example.com` stands for one more label. Each with the age and name of the
   * oldest Route that wants it: of two certificates for one host, the lesser text wins.
   */
  readonly hosts: Readonly<Record<string, string>>;
  /** The certificate and those that it was issued by, in PEM. */
  readonly chain: string;
  /** The private key in PEM. It is secret: never logged, never shown. */
  readonly privateKey: string;
  /** The Secret that it was made from. Not part of the hash. */
  readonly sources?: readonly SourceVersion[];
}

/** Something that planes get once, beside the routes: it changes without them. Its type says what it is. */
export type SharedResource =
  | ForbiddenAddresses
  | SharedObjects
  | GroupSessionKeys
  | ServerCertificate
  | ServiceEndpoints;

/** Changes of shared resources. All others stay unchanged. */
export interface ResourceChanges {
  /** Resources that are new or changed. */
  readonly set: readonly SharedResource[];
  /** Keys of the resources that are gone. */
  readonly remove: readonly string[];
}

/** Changes that lead a data plane to a new revision. */
export interface Update {
  readonly revision: string;
  /** Null when it is as before. Everything is built anew when it changes. */
  readonly base: BaseEntry | null;
  /** Routes that are new or changed. */
  readonly set: readonly RouteEntry[];
  /** Routes that are gone. */
  readonly remove: readonly RemovedRoute[];
  /** Qualified names of the routers that have a default handler, whose requests are counted. */
  readonly defaults: readonly string[];
  /** Absent when all shared resources stay as they are. */
  readonly resources?: ResourceChanges;
  /** Key texts of new routes that take no requests if they cannot be built: they are about to be taken back then. */
  readonly provisional?: readonly string[];
}

export interface RouteKey {
  readonly router: string;
  readonly id: string;
}

export interface RemovedRoute extends RouteKey {
  /** The version at which the resource was gone, where that is known. */
  readonly source?: SourceVersion;
}

/** A key of maps over routes. */
export function routeKeyText({ router, id }: RouteKey): string {
  return JSON.stringify([router, id]);
}

/** The route that a key of `routeKeyText` stands for. */
export function routeKeyFrom(text: string): RouteKey {
  const [router, id]: unknown[] = JSON.parse(text);
  return { router: String(router), id: String(id) };
}

/** Whether a version of an object comes before another one of the same object. Versions are numbers that grow. */
export function isOlder(a: SourceVersion, b: SourceVersion): boolean {
  if (a.uid !== b.uid || a.resourceVersion === b.resourceVersion) return false;
  if (a.resourceVersion.length !== b.resourceVersion.length) return a.resourceVersion.length < b.resourceVersion.length;
  return a.resourceVersion < b.resourceVersion;
}
