import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { AuditLink, OpenService } from '../../../dataplane/audit/link/audit-link.ts';
import type { AuditServiceSettings } from '../../../dataplane/audit/writer/audit-orders.ts';

/** Takes the events of the audit services of a unit, in the place of the audit writer. */
export class AuditedEvents implements AuditLink {
  /** Every event, in order. */
  readonly json: { readonly topic: string; readonly json: string }[] = [];
  /** Settings that services were opened with. */
  readonly opened: AuditServiceSettings[] = [];
  /** Services that are open now. */
  openServices = 0;
  refusesTraffic = false;
  private waiting: (() => void)[] = [];

  open(): OpenService {
    const all = this;
    this.openServices++;
    return {
      get refusesTraffic() {
        return all.refusesTraffic;
      },
      write(topic, json) {
        all.json.push({ topic, json });
        for (const wake of all.waiting.splice(0)) wake();
      },
      change: (settings) => void all.opened.push(settings),
      close: () => {
        all.openServices--;
        return 0;
      },
    };
  }

  /** The event at a place, once it was written. */
  async event(at: number): Promise<JsonObject> {
    while (this.json.length <= at) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return JSON.parse(this.json[at]!.json) as JsonObject;
  }
}
