import { type IpAddress, type IpNetwork, isInNetwork, readIpAddress, readIpNetwork } from './ip-address.ts';
import { ValueProblem } from './problem.ts';

/** Whether a connection may be opened to a numeric address. */
export type MayReach = (address: string, port: number) => boolean;

/** Something that tenants may connect to although it is refused by default. */
export interface EgressRule {
  readonly network: IpNetwork;
  /** Null for every port. */
  readonly port: number | null;
}

/** A place that tenants may not connect to, such as the controller; without a port, all ports of the address. */
export interface ForbiddenPlace {
  /** Numeric. */
  readonly address: string;
  readonly port?: number;
}

/** Addresses of the environment of a data plane. */
export interface EgressSurroundings {
  /** What tenants may not connect to now; the same list as long as nothing changes. */
  forbidden(): readonly ForbiddenPlace[];
  /** Ports of the application beside a sidecar, which routes may reach on this machine. */
  readonly appPorts: readonly number[];
  /** Whether an address is one of this machine's own. */
  isOwnAddress(address: string): boolean;
}

/** What reaches this machine or its neighbours on the link, or nobody in particular. */
const LOCAL = networks('127.0.0.0/8', '::1');
const REFUSED = networks(
  '0.0.0.0/8', // unspecified: systems take it for this machine
  '169.254.0.0/16', // link-local, where clouds tell machines their credentials
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '::',
  'fe80::/10', // link-local
  'fec0::/10', // what was site-local
  'ff00::/8', // multicast
  // where clouds tell machines their credentials, outside of what is link-local
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
);

/** Networks of IPv6 in which an address of IPv4 stands, and where. */
const EMBEDDING: readonly (readonly [around: IpNetwork, read: (value: bigint) => bigint])[] = [
  [network('::/96'), (value) => value],
  [network('::ffff:0:0:0/96'), (value) => value], // translated by SIIT
  [network('64:ff9b::/96'), (value) => value],
  [network('64:ff9b:1::/48'), (value) => value],
  [network('64:ff9b:1::/48'), (value) => (((value >> 64n) & 0xffffn) << 16n) | ((value >> 40n) & 0xffffn)],
  [network('2002::/16'), (value) => value >> 80n],
  [network('2001::/32'), (value) => value >> 64n], // the server of Teredo
  [network('2001::/32'), (value) => ~value], // and its client, with every bit turned
];

/** Reads what `trust.json` lists under `egress`. @throws ValueProblem */
export function readEgressRule(text: string): EgressRule {
  const { place, port } = withoutPort(text);
  const known = readIpNetwork(place);
  if (known === null || (port !== null && (port < 1 || port > 65_535))) {
    const message = `'${text}' is no address and no network, such as 127.0.0.1:8080, 169.254.20.0/24 or [fd00::/8]:443`;
    throw new ValueProblem('value', message);
  }
  return { network: known, port };
}

/**
 * What judges the addresses that connections for tenants are opened to: this machine, its link, nobody in particular
 * and what the plane forbids are refused, also as they are written in other kinds of addresses. A rule opens what it
 * covers; what the plane forbids is opened only by a rule for that one address.
 */
export function egressJudge(rules: readonly EgressRule[], surroundings: EgressSurroundings): MayReach {
  let places: readonly ForbiddenPlace[] = [];
  let forbidden: ForbiddenPorts = new Map();
  const apps = new Set(surroundings.appPorts);

  return function mayReach(address, port) {
    const own = readIpAddress(withoutZone(address));
    if (own === null) return false;
    const opened = rules.filter((rule) => (rule.port === null || rule.port === port) && isInNetwork(own, rule.network));
    if (opened.some(({ network: { base, prefix } }) => prefix === base.bits)) return true;
    const meanings = [own, ...embedded(own)];
    if (meanings.some((one) => isForbidden(one, port))) return false;
    if (opened.length > 0) return true;
    if (isIn(own, LOCAL) || surroundings.isOwnAddress(address)) return apps.has(port);
    return !meanings.some((one) => isIn(one, REFUSED) || isIn(one, LOCAL) || isOwn(one));
  };

  function isForbidden(address: IpAddress, port: number): boolean {
    const now = surroundings.forbidden();
    if (now !== places) {
      places = now;
      forbidden = portsByAddress(now);
    }
    const ports = forbidden.get(addressKey(address));
    return ports !== undefined && (ports === 'all' || ports.has(port));
  }

  function isOwn(address: IpAddress): boolean {
    return address.bits === 32 && surroundings.isOwnAddress(v4Text(address));
  }
}

/** The addresses of IPv4 that an address of IPv6 may lead to. */
function embedded(address: IpAddress): IpAddress[] {
  if (address.bits === 32) return [];
  return EMBEDDING.filter(([around]) => isInNetwork(address, around)).map(([, read]) => v4(read(address.value)));
}

function v4(value: bigint): IpAddress {
  return { bits: 32, value: value & 0xffffffffn };
}

function v4Text({ value }: IpAddress): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
}

function isIn(address: IpAddress, list: readonly IpNetwork[]): boolean {
  return list.some((one) => isInNetwork(address, one));
}

/** Forbidden ports by address: there may be as many addresses as a cluster has sidecars. */
type ForbiddenPorts = Map<string, 'all' | Set<number>>;

function portsByAddress(places: readonly ForbiddenPlace[]): ForbiddenPorts {
  const found: ForbiddenPorts = new Map();
  for (const { address, port } of places) {
    const read = readIpAddress(withoutZone(address));
    if (read === null) throw new TypeError(`not an address: ${address}`);
    const key = addressKey(read);
    const ports = found.get(key);
    if (port === undefined) found.set(key, 'all');
    else if (ports === undefined) found.set(key, new Set([port]));
    else if (ports !== 'all') ports.add(port);
  }
  return found;
}

function addressKey({ bits, value }: IpAddress): string {
  return `${bits} ${value}`;
}

/** What stands after the percent sign says which link, and every link is refused. */
function withoutZone(address: string): string {
  const at = address.indexOf('%');
  return at < 0 ? address : address.slice(0, at);
}

function withoutPort(text: string): { place: string; port: number | null } {
  const bracketed = /^\[([^\]]*)\](?::(\d{1,5}))?$/.exec(text);
  const found = bracketed ?? /^([^:]*)(?::(\d{1,5}))?$/.exec(text);
  if (found === null) return { place: text, port: null };
  return { place: found[1]!, port: found[2] === undefined ? null : Number(found[2]) };
}

function network(text: string): IpNetwork {
  const read = readIpNetwork(text);
  if (read === null) throw new TypeError(`not a network: ${text}`);
  return read;
}

function networks(...texts: readonly string[]): readonly IpNetwork[] {
  return texts.map(network);
}
