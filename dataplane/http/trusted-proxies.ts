import { BlockList, isIP } from 'node:net';

/** Whose word about the client we take. */
export interface TrustedProxies {
  trusts(address: string): boolean;
}

/** Reads `10.0.0.0/8`, `192.0.2.7`, `fd00::/8`. @throws TypeError naming everything that is not one of these. */
export function trustedProxies(networks: readonly string[]): TrustedProxies {
  const list = new BlockList();
  const bad: string[] = [];
  for (const network of networks) {
    const match = /^([0-9A-Fa-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(network);
    const address = match?.[1] ?? '';
    const family = isIP(address);
    const widest = family === 6 ? 128 : 32;
    const prefix = Number(match?.[2] ?? widest);
    if (family === 0 || prefix > widest) bad.push(network);
    else list.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4');
  }
  if (bad.length > 0) throw new TypeError(`not a network: ${bad.join(', ')}`);
  return {
    trusts(address) {
      const plain = address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
      const kind = isIP(plain);
      return kind !== 0 && list.check(plain, kind === 6 ? 'ipv6' : 'ipv4');
    },
  };
}
