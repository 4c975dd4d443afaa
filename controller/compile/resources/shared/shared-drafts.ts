import { serviceResourceKey } from '../../../../contract/resources/service-reference.ts';
import { type StoreDraft, type StoreDrafts, storeResourceKey } from '../store-drafts.ts';
import { type AuditDraft, type AuditDrafts, auditResourceKey } from './audit-drafts.ts';
import type { ServiceDraft, ServiceDrafts } from './service-drafts.ts';

/** What Routes share, as it was judged. */
export type SharedDraft = StoreDraft | AuditDraft | ServiceDraft;
export type SharedOffer = SharedDraft['offer'];

const [STORE, AUDIT, SERVICE] = [storeResourceKey(''), auditResourceKey(''), serviceResourceKey('')];

/** All that Routes can share, by the keys under which data planes get it. */
export class SharedDrafts {
  readonly stores: StoreDrafts;
  readonly audits: AuditDrafts;
  readonly services: ServiceDrafts;

  constructor(stores: StoreDrafts, audits: AuditDrafts, services: ServiceDrafts) {
    this.stores = stores;
    this.audits = audits;
    this.services = services;
  }

  get(key: string): SharedDraft | null {
    if (key.startsWith(SERVICE)) return this.services.get(key.slice(SERVICE.length));
    if (key.startsWith(STORE)) return this.stores.get(key.slice(STORE.length));
    return key.startsWith(AUDIT) ? this.audits.get(key.slice(AUDIT.length)) : null;
  }

  offer(key: string): SharedOffer | null {
    return this.get(key)?.offer ?? null;
  }

  /** Forgets what is gone. */
  sweep(): void {
    this.stores.sweep();
    this.audits.sweep();
  }
}

/** The keys of all resources that an offer is made of. */
export function partsOf(offer: SharedOffer): readonly string[] {
  return offer.stores.map(storeResourceKey);
}
