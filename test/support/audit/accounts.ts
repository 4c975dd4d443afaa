import type { GatewayProcess } from '../gateways/gateway-process.ts';

/** Accounts of the handlers of a gateway together. */
export interface Accounts {
  readonly emitted: number;
  readonly delivered: number;
  readonly waiting: number;
  readonly dropped: number;
}

/** Reads the accounts from the metrics of a gateway. */
export async function accountsOf(gateway: GatewayProcess): Promise<Accounts> {
  const { text } = await gateway.admin('/metrics');
  const sum = (name: string): number =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
  return {
    emitted: sum('gw_audit_emitted_total'),
    delivered: sum('gw_audit_delivered_total'),
    waiting: sum('gw_audit_waiting'),
    dropped: sum('gw_audit_dropped_total'),
  };
}
