import { didYouMean } from '../../../../contract/did-you-mean.ts';
import { ValueProblem } from '../../../../contract/problem.ts';
import { isOwnMachine } from '../../../heap/clear-text-remark.ts';
import { amqpOptions } from './amqp-options.ts';
import {
  type AddressDraft,
  addressDraft,
  type BrokerSettings,
  type ConnectionDraft,
  connectionDraft,
} from './broker-settings.ts';
import { type BrokerUrl, readBrokerUrl, type UrlOption, type UrlPart } from './broker-url.ts';
import { activemqOptions, artemisOptions } from './openwire-options.ts';
import type { OptionRule, UrlOptions } from './url-option.ts';

/** The Java client that a URL is written for. */
export type ClientKind = 'activemq' | 'artemis' | 'qpid';

/** Something that the writer of a URL should know. */
export interface UrlRemark {
  readonly code: 'no-effect' | 'insecure';
  readonly message: string;
}

/** A provider URL as the gateway understands it. */
export interface ReadUrl {
  readonly settings: BrokerSettings;
  readonly remarks: readonly UrlRemark[];
}

/** Schemes with their usual ports. */
interface Scheme {
  readonly protocol: 'openwire' | 'amqp';
  readonly isSecure: boolean;
  readonly port: number | null;
}
const SCHEMES: Readonly<Record<string, Scheme>> = {
  tcp: { protocol: 'openwire', isSecure: false, port: null },
  nio: { protocol: 'openwire', isSecure: false, port: null },
  ssl: { protocol: 'openwire', isSecure: true, port: null },
  'nio+ssl': { protocol: 'openwire', isSecure: true, port: null },
  amqp: { protocol: 'amqp', isSecure: false, port: 5672 },
  amqps: { protocol: 'amqp', isSecure: true, port: 5671 },
};
const CLIENTS: Readonly<Record<ClientKind, { readonly protocol: Scheme['protocol']; readonly options: UrlOptions }>> = {
  activemq: { protocol: 'openwire', options: activemqOptions },
  artemis: { protocol: 'openwire', options: artemisOptions },
  qpid: { protocol: 'amqp', options: amqpOptions },
};
const QPID = "'java.naming.factory.initial' org.apache.qpid.jms.jndi.JmsInitialContextFactory";

/** Reads a provider URL with all of its options. No message contains a value of it. @throws ValueProblem */
export function readBrokerSettings(text: string, client: ClientKind): ReadUrl {
  const url = readBrokerUrl(text);
  const { protocol, options } = CLIENTS[client];
  const remarks: UrlRemark[] = [];
  const connection = connectionDraft();
  const outer = withoutNested(url, options);
  for (const option of outer.own) {
    applyOption(option, [options.connection, options.list], connection, remarks);
  }
  const addresses = url.parts.map((part) => {
    const draft = draftOf(part, protocol);
    const [ofConnection, ofAddress] = split(part.options, (name) => options.connection.has(name));
    for (const option of ofConnection) applyOption(option, [options.connection], connection, remarks);
    for (const option of [...outer.nested, ...ofAddress]) applyOption(option, [options.address], draft, remarks);
    return draft;
  });
  markPreferred(addresses, connection, url);
  for (const { host, port, isSecure } of addresses) {
    if (isSecure || isOwnMachine(host)) continue;
    const scheme = protocol === 'amqp' ? 'amqps' : 'ssl';
    const message = `events for ${host}:${port} and the password travel unencrypted: use '${scheme}://'`;
    remarks.push({ code: 'insecure', message });
  }
  const { preferred: _, prefersFirst: __, ...kept } = connection;
  return { settings: { ...kept, protocol, addresses }, remarks: unique(remarks) };
}

function draftOf(part: UrlPart, protocol: Scheme['protocol']): AddressDraft {
  const scheme = Object.hasOwn(SCHEMES, part.scheme) ? SCHEMES[part.scheme] : undefined;
  if (scheme === undefined) {
    const names = Object.keys(SCHEMES).join(', ');
    throw new ValueProblem('value', `has the scheme '${part.scheme}'; supported are ${names} and failover`);
  }
  if (scheme.protocol !== protocol) {
    const remedy =
      protocol === 'amqp' ? 'Qpid JMS needs amqp or amqps' : `tcp, nio or ssl are for OpenWire; AMQP 1.0 needs ${QPID}`;
    throw new ValueProblem('value', `has the scheme '${part.scheme}': ${remedy}`);
  }
  const port = part.port ?? scheme.port;
  if (port === null) throw new ValueProblem('value', `has no port for '${part.host}', such as 61616`);
  return addressDraft(part.host, port, scheme.isSecure);
}

function withoutNested(url: BrokerUrl, { nested }: UrlOptions): { own: UrlOption[]; nested: UrlOption[] } {
  const [inner, own] = split(url.options, (name) => name.startsWith(nested));
  return { own, nested: inner.map(({ name, value }) => ({ name: name.slice(nested.length), value })) };
}

function split(options: readonly UrlOption[], isFirst: (name: string) => boolean): readonly [UrlOption[], UrlOption[]] {
  return [options.filter(({ name }) => isFirst(name)), options.filter(({ name }) => !isFirst(name))];
}

function applyOption<Draft>(
  { name, value }: UrlOption,
  rules: readonly ReadonlyMap<string, OptionRule<Draft>>[],
  draft: Draft,
  remarks: UrlRemark[],
): void {
  const rule = rules.map((one) => one.get(name)).find((one) => one !== undefined);
  if (rule === undefined) {
    const meant = didYouMean(
      name,
      rules.flatMap((one) => [...one.keys()]),
    );
    const hint = meant === undefined ? undefined : `did you mean '${meant}'?`;
    throw new ValueProblem('unknown-field', `has an unknown option '${name}' here`, hint);
  }
  if ('refused' in rule) {
    throw new ValueProblem('unavailable-field', `has the option '${name}', which cannot be given: ${rule.refused}`);
  }
  if ('noEffect' in rule) {
    remarks.push({ code: 'no-effect', message: `the option '${name}' has no effect: ${rule.noEffect}` });
    return;
  }
  try {
    rule.apply(draft, value);
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    throw new ValueProblem('value', `the option '${name}' ${error.message}`);
  }
  if (rule.insecure !== undefined && isRisk(name, value)) {
    remarks.push({ code: 'insecure', message: `the option '${name}' is not secure: ${rule.insecure}` });
  }
}

/** A switch for a check is a risk when it is off, any other when it is given. */
function isRisk(name: string, value: string): boolean {
  if (/verifyHost(?:Name)?$/.test(name)) return value.toLowerCase() === 'false';
  return /trustAll$/.test(name) ? value.toLowerCase() === 'true' : true;
}

function markPreferred(addresses: AddressDraft[], connection: ConnectionDraft, { parts }: BrokerUrl): void {
  if (!connection.prefersFirst) return;
  const wanted = connection.preferred.map((one) => one.replace(/^[a-z+]+:\/\//i, '').replace(/[/?].*$/, ''));
  parts.forEach((_, at) => {
    const { host, port } = addresses[at]!;
    addresses[at]!.isPreferred = wanted.length === 0 ? at === 0 : wanted.includes(`${host}:${port}`);
  });
}

function unique(remarks: readonly UrlRemark[]): UrlRemark[] {
  return [...new Map(remarks.map((remark) => [remark.message, remark])).values()];
}
