/** Memory for the queues of the handlers of one tenant, in bytes, unless `trust.json` says otherwise. */
export const TENANT_QUEUE_BYTES = 64 << 20;
/** Memory for the queues of all tenants together, in shares of one tenant. */
const ALL_TENANTS = 4;
/** Part of the memory that is kept for those that use less than their share of it. */
const RESERVED = 0.5;
/** Memory of an event in a queue beside its bytes, about. */
const EVENT_BYTES = 256;

interface TenantQueues {
  used: number;
  handlers: number;
}

/** Part of the budget that the queue of one handler uses. */
export interface QueueClaim {
  /** True if there is room for an event of this size. */
  hasRoomFor(bytes: number): boolean;
  /** The queue has so many events of this size now. */
  use(events: number, bytes: number): void;
  /** The queue is gone. */
  end(): void;
}

/** Claim of an operator, whose own limits hold. */
export const unlimited: QueueClaim = { hasRoomFor: () => true, use: () => {}, end: () => {} };

/**
 * Memory for the queues of tenants. A tenant declares as many handlers as it likes, each with limits of its own: together
 * they use no more than this. A handler whose destination is away does not use up the memory of the others.
 */
export class QueueBudget {
  private readonly tenants = new Map<string, TenantQueues>();
  private tenantBytes = TENANT_QUEUE_BYTES;
  private used = 0;

  limit(tenantBytes: number | undefined): void {
    this.tenantBytes = tenantBytes ?? TENANT_QUEUE_BYTES;
  }

  /** A claim for a new handler. @param realm the tenant; empty for operators */
  claim(realm: string): QueueClaim {
    if (realm === '') return unlimited;
    const tenant = this.tenants.get(realm) ?? { used: 0, handlers: 0 };
    this.tenants.set(realm, tenant);
    tenant.handlers++;
    let own = 0;
    const use = (bytes: number): void => {
      tenant.used += bytes - own;
      this.used += bytes - own;
      own = bytes;
    };
    return {
      hasRoomFor: (bytes) => {
        const more = bytes + EVENT_BYTES;
        const { tenantBytes } = this;
        return (
          hasRoom(tenantBytes, tenant.used + more, own + more, tenant.handlers) &&
          hasRoom(tenantBytes * ALL_TENANTS, this.used + more, tenant.used + more, this.tenants.size)
        );
      },
      use: (events, bytes) => use(bytes + events * EVENT_BYTES),
      end: () => {
        use(0);
        if (--tenant.handlers === 0 && this.tenants.get(realm) === tenant) this.tenants.delete(realm);
      },
    };
  }
}

/** True if so much of a limit may be used by all, or by one of so many that share it. */
function hasRoom(limit: number, all: number, own: number, sharers: number): boolean {
  return all <= limit * (1 - (RESERVED * (sharers - 1)) / sharers) || own <= (limit * RESERVED) / sharers;
}
