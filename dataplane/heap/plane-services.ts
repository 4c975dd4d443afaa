import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import type { EndedRecord, RefreshNews } from '../../contract/channel.ts';
import type { MayReach } from '../../contract/egress.ts';
import type { Reach } from '../../contract/reach.ts';
import type { ServiceUse } from '../../contract/resources/service-reference.ts';
import type { AuditLink } from '../audit/link/audit-link.ts';
import type { AuditOrder } from '../audit/writer/audit-orders.ts';
import type { Connect } from '../engine/wire/connect.ts';
import type { HostCertificates } from '../tls/hosts/host-certificates.ts';
import type { AccessToken } from './objects/access-tokens.ts';
import type { LiveService } from './objects/live-service.ts';
import type { TakeMemory } from './shared-memory.ts';

/** A path of a host that a route takes whatever its condition says. */
export interface ClaimedPlace {
  readonly host: string;
  /** As requests carry it, below `/.well-known/`. */
  readonly path: string;
}

/** What planes of a group tell each other about token refreshes. */
export interface RefreshExchange {
  /** @returns false when no other plane can hear it */
  tell(news: RefreshNews): Promise<boolean>;
  /** Calls a listener with news of other planes about a realm. Of several listeners one is called. The result ends it. */
  hear(realm: string, listener: (news: RefreshNews) => void): () => void;
}

/** Services of the data plane for its objects. */
export interface PlaneServices {
  readonly log: Logger;
  readonly reach: Reach;
  /** Publishes one observation of a time, in seconds, under a metric of an object. */
  observe(metric: string, labels: Readonly<Record<string, string>>, seconds: number): void;
  /** Counts one more under a metric of an object. */
  count(metric: string, labels: Readonly<Record<string, string>>): void;
  /** The same for what is counted often: what it returns counts one more and costs an addition. */
  counter(metric: string, labels: Readonly<Record<string, string>>): () => void;
  /** Shows a number under a metric of an object, read now and again until the result is called. */
  gauge(metric: string, labels: Readonly<Record<string, string>>, read: () => number): () => void;
  /** Memory that the objects of this name in all units of the plane share, and in one unit those that follow each other. */
  readonly sharedMemory: TakeMemory;
  /** Keys that all planes of the group have, the active one first; missing or empty where controllers send none. */
  groupSecrets?(): readonly KeyObject[];
  /** Tells other planes of the group of sessions that ended before their time; missing where there are none. */
  announce?(entries: readonly EndedRecord[]): void;
  /** Agrees with other planes of the group on who refreshes a token; missing where there are none. */
  readonly refreshExchange?: RefreshExchange;
  /** Sends an order to the audit writer of the plane, in the order of calls; missing where there is none. */
  audit?(order: AuditOrder): void;
  /** Hands events of the audit services of this unit to the writer; missing where there is none. */
  readonly auditLink?: AuditLink;
  /** Whether a backend may be at this address: never where the plane itself listens. */
  readonly mayReach: MayReach;
  /** Set for the objects of a tenant, whose `mayReach` it is: what they hand on to others is held to it too. */
  readonly egress?: MayReach;
  /** Where files that keep content go if no document says; by default where the machine puts them. */
  readonly temporaryDirectory?: string;
  /** Number of this unit among those of the plane; by default 0. */
  readonly unit?: number;
  /** Opens connections to backends. */
  readonly connect: Connect;
  /** Whether bodies are passed on as they arrive where an object does not say: `streamingEnabled` of admin.json. */
  readonly streaming: boolean;
  /** Certificates of tenants' hosts for connectors; missing where there are none. */
  readonly hostCertificates?: HostCertificates;
  /** Revision of the configuration that decides now, and the data plane and unit that decide: for audit events. */
  decider?(): { readonly revision: string; readonly plane: string; readonly unit: number };
  /** Finds a Service of the cluster that a route names; null where the route has none of that name. Missing elsewhere. */
  service?(use: Pick<ServiceUse, 'name' | 'namespace'>): LiveService | null;
  /** Caches of access tokens by the identity of their objects: each returns what it has, without counting. */
  readonly tokenCaches?: Map<string, (token: string) => AccessToken | null>;
  /** Set for the objects of a dry run, which change nothing outside of it. */
  readonly isDryRun?: true;
  /** Sends requests for a place to the route of the object; missing for objects outside of routes. */
  claim?(place: ClaimedPlace): void;
}
