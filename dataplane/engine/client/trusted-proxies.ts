import { BlockList, isIP } from 'node:net';

/** Whose word about the client we take. */
export interface TrustedProxies {
  trusts(address: string): boolean;
}

/** Reads `10.0.0.0/8`, `192.0.2.7`, `fd00::/8`. @throws TypeError naming everything that is not one of these. */
export function trustedProxies(networks: readonly string[]): TrustedProxies {
  // one list for each family: a list of both finds IPv4 addresses in ::/0
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  const bad: string[] = [];
  for (const network of networks) {
    const match = /^([0-9A-Fa-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(network);
    const address = match?.[1] ?? '';
    const family = isIP(address);
    const widest = family === 6 ? 128 : 32;
    const prefix = Number(match?.[2] ?? widest);
    if (family === 0 || prefix > widest) bad.push(network);
    else if (family === 6) lists.ipv6.addSubnet(address, prefix, 'ipv6');
    else lists.ipv4.addSubnet(address, prefix, 'ipv4');
  }
  if (bad.length > 0) throw new TypeError(`not a network: ${bad.join(', ')}`);
  return {
    trusts(address) {
      const plain = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
      const kind = isIP(plain);
      if (kind === 0) return false;
      return kind === 6 ? lists.ipv6.check(plain, 'ipv6') : lists.ipv4.check(plain, 'ipv4');
    },
  };
}
