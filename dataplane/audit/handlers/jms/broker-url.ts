import { ValueProblem } from '../../../../contract/problem.ts';

/** One option of a URL, decoded. */
export interface UrlOption {
  readonly name: string;
  readonly value: string;
}

/** One address of a URL. */
export interface UrlPart {
  readonly scheme: string;
  readonly host: string;
  readonly port: number | null;
  readonly options: readonly UrlOption[];
}

/** A provider URL, cut into its parts. */
export interface BrokerUrl {
  readonly parts: readonly UrlPart[];
  /** Options of the list; empty without one. */
  readonly options: readonly UrlOption[];
  /** Whether it has the scheme `failover`. */
  readonly isFailover: boolean;
}

/** Schemes that lists of brokers have in Java, and that are not supported. */
const OTHER_LISTS = ['fanout', 'discovery', 'static', 'peer', 'vm', 'multicast', 'zeroconf'];
const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/(?:\[([^\]]+)\]|([^/?#:@[\]]+))(?::(\d{1,5}))?\/?(?:\?(.*))?$/i;

/** Reads a provider URL: one address, or a list as in `failover:(tcp://a:61616,tcp://b:61616)?randomize=false`. */
export function readBrokerUrl(text: string): BrokerUrl {
  const trimmed = text.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme === 'failover') return readList(trimmed.slice('failover:'.length).replace(/^\/\//, ''), true);
  if (scheme !== undefined && OTHER_LISTS.includes(scheme)) {
    throw new ValueProblem('value', `the scheme '${scheme}' is not supported: list the brokers with 'failover:(…)'`);
  }
  if (trimmed.startsWith('(')) return readList(trimmed, false);
  return { parts: [readPart(trimmed)], options: [], isFailover: false };
}

function readList(text: string, isFailover: boolean): BrokerUrl {
  if (!text.startsWith('(')) return { parts: splitList(text).map(readPart), options: [], isFailover };
  const end = text.lastIndexOf(')');
  if (end < 0) throw new ValueProblem('value', "the list of brokers has no ')'");
  const rest = text.slice(end + 1);
  if (rest !== '' && !rest.startsWith('?')) {
    throw new ValueProblem('value', "only '?' with options may follow the list of brokers");
  }
  return { parts: splitList(text.slice(1, end)).map(readPart), options: readOptions(rest.slice(1)), isFailover };
}

function splitList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.includes('')) throw new ValueProblem('value', 'the list of brokers has an empty address');
  return parts;
}

function readPart(text: string): UrlPart {
  const found = ADDRESS.exec(text);
  if (found === null) {
    // the text itself may contain a password
    throw new ValueProblem('value', "must be a URL such as 'tcp://broker.example.com:61616'");
  }
  const [, scheme, v6, name, port, query] = found;
  const number = port === undefined ? null : Number(port);
  if (number !== null && (number < 1 || number > 65_535)) {
    throw new ValueProblem('value', `has the port ${number}, which is not between 1 and 65535`);
  }
  return { scheme: scheme!.toLowerCase(), host: v6 ?? name!, port: number, options: readOptions(query ?? '') };
}

function readOptions(query: string): UrlOption[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const name = at < 0 ? pair : pair.slice(0, at);
      return { name: decoded(name), value: decoded(at < 0 ? '' : pair.slice(at + 1)) };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ValueProblem('value', "has an option with a '%' that is not followed by two hexadecimal digits");
  }
}
