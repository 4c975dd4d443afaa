import { NoSuchSecret, type SecretsProvider } from '../heap/objects/secrets.ts';
import { type CompactJwe, decryptWithSecrets, readJwe } from '../jose/compact-jwe.ts';
import { type CompactJws, readJws } from '../jose/compact-jws.ts';
import { verifyWithSecrets } from '../jose/verification.ts';

/** Why a token holds nothing that can be believed, for the log: it repeats nothing of the token. */
export interface TokenFault {
  readonly fault: string;
  /** What went wrong elsewhere, or null. */
  readonly reason: unknown;
}

/** Values that `typ` may have; undefined where it may be missing. Other kinds of token are signed with the same keys. */
export type TokenTypes = ReadonlySet<string | undefined>;

/** RFC 7519, and RFC 9068, section 2.1. */
export const ACCESS_TOKENS: TokenTypes = new Set(['jwt', 'at+jwt', undefined]);
/** RFC 9068, section 4: what says for itself that it is an access token. */
export const ONLY_ACCESS_TOKENS: TokenTypes = new Set(['at+jwt']);

/** Continues with the payload of a signed token if one of the keys of the id signed it, with one promise at most. */
export function verifiedPayload<T>(
  token: string,
  provider: SecretsProvider,
  secretId: string,
  types: TokenTypes,
  then: (payload: Buffer | TokenFault) => T,
): T | Promise<T> {
  const jws = readJws(token);
  if (jws === null) return then(fault('it is not a signed JWT in compact form with a supported algorithm'));
  if (!hasType(jws, types) || saysNested(jws)) return then(fault("its 'typ' or 'cty' is not that of an access token"));
  const judged = (isGood: boolean) => then(isGood ? jws.payload : fault('no verification key matches its signature'));
  const verdict = verifyWithSecrets(jws, provider, secretId);
  return typeof verdict === 'boolean' ? judged(verdict) : verdict.then(judged);
}

/** Returns the payload of an encrypted token if one of the keys of the id decrypts it and its author is known. */
export async function decryptedPayload(
  token: string,
  provider: SecretsProvider,
  secretId: string,
  types: TokenTypes,
): Promise<Buffer | TokenFault> {
  const jwe = readJwe(token);
  if (jwe === null) return fault('it is not an encrypted JWT in compact form with supported algorithms');
  if (!hasType(jwe, ACCESS_TOKENS)) return fault("its 'typ' is not that of an access token");
  try {
    const content = await decryptWithSecrets(jwe, provider, secretId);
    if (content === null) return fault('no key can decrypt it');
    if (isNested(jwe, content)) {
      return await verifiedPayload(content.toString('latin1'), provider, secretId, types, (payload) => payload);
    }
    // of a nested token the inner one says what it is
    if (!hasType(jwe, types)) return fault("its 'typ' is not that of an access token");
    return jwe.provesOrigin
      ? content
      : fault('it is encrypted with a public key and not signed: anyone could have made it');
  } catch (error) {
    // The sender chooses the algorithm and with it what is asked for: that there is none is the fault of the token.
    if (error instanceof NoSuchSecret) return { fault: 'there is no key for it', reason: error };
    throw error;
  }
}

export function isTokenFault(payload: Buffer | TokenFault): payload is TokenFault {
  return 'fault' in payload;
}

function hasType({ header }: CompactJws | CompactJwe, types: TokenTypes): boolean {
  return types.has(header.typ === undefined ? undefined : withoutPrefix(header.typ));
}

/** A token inside of the token is said to be there, or is there. */
function isNested(jwe: CompactJwe, content: Buffer): boolean {
  return saysNested(jwe) || readJws(content.toString('latin1')) !== null;
}

function saysNested({ header }: CompactJws | CompactJwe): boolean {
  return header.cty !== undefined && withoutPrefix(header.cty) === 'jwt';
}

/** A media type in lower case as headers of tokens write it, without `application/` (RFC 7515, section 4.1.9). */
function withoutPrefix(type: string): string {
  return type.toLowerCase().replace(/^application\//, '');
}

function fault(text: string): TokenFault {
  return { fault: text, reason: null };
}
