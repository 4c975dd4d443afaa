import { isJsonObject, type JsonValue } from '../../../contract/document/json-value.ts';

/** What a session knows of the user who signed in. */
export interface SignedIn {
  /** Name of the registration. */
  readonly registration: string;
  /** Identity of the registration: another one of the same name is for other users. */
  readonly client: string;
  /** The issuer of the ID token, or of the metadata; null where neither names one. */
  readonly issuer: string | null;
  readonly accessToken: string;
  readonly tokenType: string;
  readonly scope: string;
  /** Milliseconds since 1970; null where the provider named no lifetime. */
  readonly expiresAt: number | null;
  readonly refreshToken: string | null;
  /** As it was received: its claims are read from it and not kept twice, for cookies are small. */
  readonly idToken: string | null;
  /** When the user signed in, in milliseconds since 1970. */
  readonly since: number;
}

type Kind = 'text' | 'number';

/** Every member, with the values that it may have. */
const MEMBERS: Readonly<Record<keyof SignedIn, { readonly kind: Kind; readonly isNullable: boolean }>> = {
  registration: { kind: 'text', isNullable: false },
  client: { kind: 'text', isNullable: false },
  issuer: { kind: 'text', isNullable: true },
  accessToken: { kind: 'text', isNullable: false },
  tokenType: { kind: 'text', isNullable: false },
  scope: { kind: 'text', isNullable: false },
  expiresAt: { kind: 'number', isNullable: true },
  refreshToken: { kind: 'text', isNullable: true },
  idToken: { kind: 'text', isNullable: true },
  since: { kind: 'number', isNullable: false },
};
const NAMES = Object.keys(MEMBERS) as (keyof SignedIn)[];

/** Returns the user of a value of a session; null for a value of any other form. The value must not change afterwards. */
export function readSignedIn(value: JsonValue): SignedIn | null {
  if (!isJsonObject(value) || Object.keys(value).length !== NAMES.length) return null;
  for (const name of NAMES) {
    if (!Object.hasOwn(value, name)) return null;
    const member = value[name]!;
    const { kind, isNullable } = MEMBERS[name];
    const fits = kind === 'text' ? typeof member === 'string' : Number.isFinite(member);
    if (!fits && !(isNullable && member === null)) return null;
  }
  return value as unknown as SignedIn;
}
