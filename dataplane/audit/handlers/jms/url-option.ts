import { ValueProblem } from '../../../../contract/problem.ts';
import { cipherSuite } from '../../../tls/options/cipher-suites.ts';
import { type TlsVersion, VERSIONS } from '../../../tls/options/tls-rules.ts';
import type { AddressDraft, ConnectionDraft } from './broker-settings.ts';

/** What an option of a broker URL does. */
export type OptionRule<Draft> =
  /** Has an effect. @throws ValueProblem for a value that it cannot have */
  | { readonly apply: (draft: Draft, value: string) => void; readonly insecure?: string }
  /** Is accepted; the text says why it has no effect. */
  | { readonly noEffect: string }
  /** Is refused; the text says what to use. */
  | { readonly refused: string };

export type AddressRules = ReadonlyMap<string, OptionRule<AddressDraft>>;
export type ConnectionRules = ReadonlyMap<string, OptionRule<ConnectionDraft>>;

/** All options of one kind of client. */
export interface UrlOptions {
  /** Options of each address. */
  readonly address: AddressRules;
  /** Options of the connection, beside an address or behind a list. */
  readonly connection: ConnectionRules;
  /** Options of a list, only behind it. */
  readonly list: ConnectionRules;
  /** Stands before the name of an address option that is written behind a list. */
  readonly nested: string;
}

const SECONDS_24 = 86_400_000;

/** Rule for a flag. */
export function flagOption<Draft>(set: (draft: Draft, value: boolean) => void): OptionRule<Draft> {
  return { apply: (draft, value) => set(draft, flagOf(value)) };
}

export function flagOf(value: string): boolean {
  const lower = value.toLowerCase();
  if (lower !== 'true' && lower !== 'false') throw new ValueProblem('value', 'must be true or false');
  return lower === 'true';
}

/** Rule for a time in milliseconds. */
export function timeOption<Draft>(set: (draft: Draft, value: number) => void): OptionRule<Draft> {
  return { apply: (draft, value) => set(draft, Math.min(numberOf(value), SECONDS_24)) };
}

export function numberOf(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new ValueProblem('value', 'must be a whole number, at least 0');
  return Number(value);
}

/** Rule for a text. */
export function textOption<Draft>(set: (draft: Draft, value: string) => void): OptionRule<Draft> {
  return { apply: set };
}

/** Rules for options without effect, all for the same reason. */
export function without<Draft>(why: string, names: string): [string, OptionRule<Draft>][] {
  return names
    .split(/\s+/)
    .filter((name) => name !== '')
    .map((name) => [name, { noEffect: why }]);
}

/** TLS versions of a list such as `TLSv1.2,TLSv1.3`. Older ones are left out if one is left. */
export function versionsOf(value: string): readonly TlsVersion[] {
  const names = value.split(',').map((name) => name.trim());
  const versions = VERSIONS.filter((version) => names.includes(version));
  if (versions.length === 0) throw new ValueProblem('value', `must list ${VERSIONS.join(' or ')}`);
  return versions;
}

/** OpenSSL's names of cipher suites in a list of Java's names. */
export function ciphersOf(value: string): readonly string[] {
  const suites = value.split(',').map((name) => cipherSuite(name.trim()));
  const names = suites.flatMap((suite) => suite?.name ?? []);
  if (suites.includes(undefined) || names.length === 0) {
    throw new ValueProblem('value', 'must list cipher suites by their names in Java');
  }
  return names;
}
