import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { errorText } from '../../platform/error-text.ts';
import type { Reading } from '../commands/command.ts';

/** OpenID provider that people sign in to the console with. */
export interface ConsoleProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** Path of the file with the client secret; null for a public client. */
  readonly clientSecret: string | null;
  readonly scopes: readonly string[];
  /** Scheme, host and port of the console for browsers. */
  readonly origin: string;
  /** Path of the file with the CA certificates of the provider; null for those of the platform. */
  readonly ca: string | null;
  /** Name of the provider on the sign-in page. */
  readonly name: string;
  /** Sessions that a sign-out ends: that of the console, or also that of the provider. */
  readonly signOut: 'console' | 'provider';
}

const DEFAULT_SCOPES = ['openid', 'email'];
/** Files are read by secret stores, whose ids are the names of files. */
const FILE_NAME = /^[\w-]+(?:\.[\w-]+)*$/;
/** The values become fields of a document, in which these would be expressions. */
const EXPRESSION = /[$&]\{/;

/** Options of a sign-in to the console at an OpenID provider. */
export const consoleProviderOptions = {
  'console-issuer': {
    valueName: 'URL',
    description:
      'OpenID provider that people can sign in to the console with. The API server must trust the same issuer and client ' +
      'id. Needs --console-client-id, --console-url and --secure-admin.',
    optional: true,
    read: readIssuer,
  },
  'console-client-id': {
    valueName: 'ID',
    description: 'Client id of the console at the provider.',
    optional: true,
    read: readPrintable,
  },
  'console-client-secret': file('File with the client secret; without it the console is a public client.'),
  'console-url': {
    valueName: 'URL',
    description:
      'Address of the console for browsers, such as https://console.example.com. The redirect URI at the provider is ' +
      'this address with /console/openid/callback.',
    optional: true,
    read: readOrigin,
  },
  'console-scopes': {
    valueName: 'SCOPE,…',
    description: "Scopes of the sign-in, with 'openid'; by default openid,email.",
    optional: true,
    read: readScopes,
  },
  'console-issuer-ca': file('CA certificates of the provider, in PEM; by default those of the platform.'),
  'console-issuer-name': {
    valueName: 'NAME',
    description: 'Name of the provider on the sign-in page; by default its host.',
    optional: true,
    read: readPrintable,
  },
  'console-sign-out': {
    valueName: 'console|provider',
    description:
      'What a sign-out ends: the session of the console, or also that of the provider at its end_session_endpoint. The ' +
      'provider must know the address of the console as a post-logout redirect URI.',
    optional: true,
    read: readSignOut,
  },
} as const;

type Name = keyof typeof consoleProviderOptions;

/** Values of the options, and of others that they depend on. */
export interface GivenProvider {
  readonly 'console-issuer': string | undefined;
  readonly 'console-client-id': string | undefined;
  readonly 'console-client-secret': string | undefined;
  readonly 'console-url': string | undefined;
  readonly 'console-scopes': readonly string[] | undefined;
  readonly 'console-issuer-ca': string | undefined;
  readonly 'console-issuer-name': string | undefined;
  readonly 'console-sign-out': 'console' | 'provider' | undefined;
  readonly 'secure-admin': object | null;
  readonly 'api-rate': number;
}

/** Returns the provider of the options, null for none, or everything that is wrong with them. */
export function consoleProvider(
  given: GivenProvider,
): { readonly provider: ConsoleProvider | null } | { readonly problems: readonly string[] } {
  const { 'console-issuer': issuer, 'console-client-id': clientId, 'console-url': origin } = given;
  const names = (Object.keys(consoleProviderOptions) as Name[]).filter((name) => given[name] !== undefined);
  if (names.length === 0) return { provider: null };
  const { 'console-client-secret': clientSecret = null, 'console-issuer-ca': ca = null } = given;
  const problems = [
    ...(issuer === undefined
      ? [`--${names.join(', --')} ${names.length > 1 ? 'need' : 'needs'} --console-issuer`]
      : []),
    ...(issuer !== undefined && clientId === undefined ? ['--console-issuer needs --console-client-id'] : []),
    ...(issuer !== undefined && origin === undefined ? ['--console-issuer needs --console-url'] : []),
    ...(given['secure-admin'] === null ? ['--console-issuer needs --secure-admin: the console is served there'] : []),
    ...(given['api-rate'] === 0 ? ['--console-issuer needs Common REST: --api-rate must not be off'] : []),
    ...fileProblems('console-client-secret', clientSecret, secretProblem),
    ...fileProblems('console-issuer-ca', ca, certificateProblem),
  ];
  if (problems.length > 0 || issuer === undefined || clientId === undefined || origin === undefined) {
    return { problems };
  }
  const scopes = given['console-scopes'] ?? DEFAULT_SCOPES;
  const name = given['console-issuer-name'] ?? new URL(issuer).host;
  const signOut = given['console-sign-out'] ?? 'console';
  return { provider: { issuer, clientId, clientSecret, scopes, origin, ca, name, signOut } };
}

function fileProblems(option: Name, path: string | null, problemOf: (text: string) => string | null): string[] {
  if (path === null) return [];
  if (!FILE_NAME.test(basename(path)) || EXPRESSION.test(path)) {
    return [`--${option}: the name of the file may have letters, digits, '_', '-' and single dots`];
  }
  try {
    const problem = problemOf(readFileSync(path, 'utf8'));
    return problem === null ? [] : [`--${option}: ${path} ${problem}`];
  } catch (error) {
    return [`--${option}: ${errorText(error)}`];
  }
}

function secretProblem(text: string): string | null {
  if (text === '') return 'is empty';
  return /[\r\n]$/.test(text) ? 'ends with a line break, which would be part of the secret' : null;
}

function certificateProblem(text: string): string | null {
  return text.includes('-----BEGIN CERTIFICATE-----') ? null : 'contains no certificate in PEM';
}

function file(description: string) {
  return { valueName: 'FILE', description, optional: true, read: readPrintable } as const;
}

function readPrintable(text: string): Reading<string> {
  if (text === '') return { problem: 'must not be empty' };
  if (EXPRESSION.test(text)) return { problem: 'must not contain ${ or &{' };
  return /\p{Cc}/u.test(text) ? { problem: 'must not contain control characters' } : { value: text };
}

/** The API server knows issuers with https only, and compares them character by character. */
function readIssuer(text: string): Reading<string> {
  const url = URL.parse(text);
  if (url === null || !text.startsWith('https://')) return { problem: `must be an https URL, not '${text}'` };
  if (url.username !== '' || url.password !== '') return { problem: 'must not contain credentials' };
  if (/[?#\s]/.test(text)) return { problem: 'must not contain a query, a fragment or spaces' };
  return EXPRESSION.test(text) ? { problem: 'must not contain ${ or &{' } : { value: text };
}

function readOrigin(text: string): Reading<string> {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:') return { problem: `must be an https URL, not '${text}'` };
  if (url.username !== '' || url.password !== '') return { problem: 'must not contain credentials' };
  if (text !== url.origin && text !== `${url.origin}/`) {
    return { problem: `must have a scheme, a host and a port only, such as ${url.origin}` };
  }
  return { value: url.origin };
}

function readScopes(text: string): Reading<readonly string[]> {
  const scopes = text.split(',').filter((scope) => scope !== '');
  const wrong = scopes.find((scope) => !/^[!#-[\]-~]+$/.test(scope) || EXPRESSION.test(scope));
  if (wrong !== undefined) return { problem: `must be scopes with commas between; '${wrong}' is none` };
  return scopes.includes('openid')
    ? { value: scopes }
    : { problem: "must contain 'openid': the ID token is the credential" };
}

function readSignOut(text: string): Reading<'console' | 'provider'> {
  if (text === 'console' || text === 'provider') return { value: text };
  return { problem: `must be console or provider, not '${text}'` };
}
