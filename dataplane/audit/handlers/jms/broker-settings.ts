import type { TlsVersion } from '../../../tls/options/tls-rules.ts';

/** Connection to one broker of a list, as plain data. Times are in milliseconds. */
export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** Whether it is tried before others. */
  readonly isPreferred: boolean;
  readonly connectTimeout: number;
  /** Whether the certificate must be one for the host; null for the decision of the TLS options. */
  readonly checksNames: boolean | null;
  readonly trustsAll: boolean;
  /** Null for the versions and suites of the TLS options. */
  readonly versions: readonly TlsVersion[] | null;
  readonly ciphers: readonly string[] | null;
  readonly keepAlive: boolean;
  readonly noDelay: boolean;
  /** How long the broker may be silent; 0 for any time. */
  readonly inactivity: number;
  readonly initialDelay: number;
  /** Largest frame, in bytes; null for the limit of the broker. */
  readonly maxFrame: number | null;
  /** AMQP: the host name in the greeting. */
  readonly virtualHost: string | null;
  /** AMQP: allowed SASL mechanisms; null for all. */
  readonly mechanisms: readonly string[] | null;
}

/** Connection of a handler to its broker, as plain data. */
export interface BrokerSettings {
  readonly protocol: 'openwire' | 'amqp';
  readonly addresses: readonly BrokerAddress[];
  /** Whether addresses of the same preference are tried in random order. */
  readonly randomize: boolean;
  readonly userName: string | null;
  readonly password: string | null;
  readonly clientId: string | null;
  /** How long the broker has for the registration of a connection. */
  readonly openTimeout: number;
  /** How long the broker has for a confirmation; 0 for any time. */
  readonly sendTimeout: number;
  readonly closeTimeout: number;
  readonly isCompressed: boolean;
  readonly hasTimestamps: boolean;
  /** Whether the broker confirms every message, also those that are not persistent. */
  readonly confirmsEach: boolean;
  /** AMQP: stands before the names of topics. */
  readonly topicPrefix: string;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Settings while options are read. */
export type AddressDraft = Mutable<BrokerAddress>;
export type ConnectionDraft = Mutable<Omit<BrokerSettings, 'addresses' | 'protocol'>> & {
  /** Addresses that are tried first, as the URL writes them. */
  preferred: readonly string[];
  prefersFirst: boolean;
};

const DEFAULT_TIMEOUT = 30_000;

export function addressDraft(host: string, port: number, isSecure: boolean): AddressDraft {
  return {
    host,
    port,
    isSecure,
    isPreferred: false,
    connectTimeout: DEFAULT_TIMEOUT,
    checksNames: null,
    trustsAll: false,
    versions: null,
    ciphers: null,
    keepAlive: false,
    noDelay: true,
    inactivity: 30_000,
    initialDelay: 10_000,
    maxFrame: null,
    virtualHost: null,
    mechanisms: null,
  };
}

export function connectionDraft(): ConnectionDraft {
  return {
    randomize: true,
    preferred: [],
    prefersFirst: false,
    userName: null,
    password: null,
    clientId: null,
    openTimeout: DEFAULT_TIMEOUT,
    sendTimeout: 0,
    closeTimeout: 15_000,
    isCompressed: false,
    hasTimestamps: true,
    confirmsEach: false,
    topicPrefix: '',
  };
}
