import type { Exchange } from '../../engine/message/exchange.ts';
import type { Verdict } from '../../engine/message/verdict.ts';
import type { Parts } from '../../heap/definition.ts';
import type { AmSession } from '../../heap/objects/am-service.ts';
import { Verdicts } from '../../heap/objects/verdicts.ts';

/** Notes for audit events which sessions of an access manager a filter let pass. The last verdict is kept. */
export class SessionVerdicts {
  private readonly verdicts: Verdicts;
  private readonly server: string;
  private realm = '';
  private isCached = false;
  private verdict: Verdict | null = null;

  /** @param server URL of the access manager */
  constructor(server: string, parts: Parts) {
    this.verdicts = new Verdicts(parts);
    this.server = server;
  }

  allowed({ access }: Exchange, { realm, uid }: AmSession, isCached: boolean): void {
    if (access === null) return;
    if (this.verdict === null || realm !== this.realm || isCached !== this.isCached) {
      this.realm = realm;
      this.isCached = isCached;
      this.verdict = this.verdicts.of('allowed', { server: this.server, realm, cached: isCached });
    }
    access.note(this.verdict);
    if (uid !== null) access.track(uid);
  }

  /** Notes that the browser was sent elsewhere, such as to the login page. */
  redirected(exchange: Exchange): void {
    this.verdicts.redirected(exchange, { server: this.server });
  }
}
