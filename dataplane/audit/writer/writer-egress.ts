import { egressJudge, type MayReach, readEgressRule } from '../../../contract/egress.ts';
import { isOfThisMachine, OwnListeners } from '../../engine/wire/own-listeners.ts';
import type { WriterReach } from './writer-messages.ts';

/** Addresses that the sinks of operators and of tenants may connect to, as the supervisor last said. */
export class WriterEgress {
  private own!: OwnListeners;
  private judge!: MayReach;

  constructor(reach: WriterReach) {
    this.set(reach);
  }

  set({ listeners, egress, forbidden, appPorts }: WriterReach): void {
    this.own = new OwnListeners();
    for (const endpoint of listeners) this.own.add(endpoint);
    const surroundings = { forbidden: () => forbidden, appPorts, isOwnAddress: isOfThisMachine };
    this.judge = egressJudge(egress.map(readEgressRule), surroundings);
  }

  /** @param realm the tenant; empty for operators, who may reach all but the plane itself */
  of(realm: string): MayReach {
    return (address, port) => !this.own.has(address, port) && (realm === '' || this.judge(address, port));
  }
}
