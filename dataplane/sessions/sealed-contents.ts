import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Sealer } from '../engine/message/session.ts';
import { SessionFault } from '../engine/message/session-fault.ts';
import type { DirectCipher } from '../jose/direct-cipher.ts';

/** Label of the keys that are derived from those of sessions. */
const LABEL = 'gatewarden sealed content';

export interface SealedContentsOptions {
  readonly realm: string;
  readonly cookieName: string;
  /** `enc` of the ciphers. */
  readonly method: string;
  /** Ciphers of every valid key, the active one first; null while they are not at hand. */
  ciphers(): readonly DirectCipher[] | null;
  now?(): number;
}

/**
 * Seals contents as JWEs whose protected header stays here: it names purpose, realm and session cookie, and the tag
 * covers it. The keys are derived from those of the sessions, so that no content can be taken for a session.
 */
export class SealedContents implements Sealer {
  private readonly options: SealedContentsOptions;
  private readonly headers = new Map<string, string>();
  private readonly derived = new WeakMap<DirectCipher, DirectCipher>();
  private readonly now: () => number;

  constructor(options: SealedContentsOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
  }

  seal(purpose: string, content: JsonObject, lifetime: number): string {
    const [cipher] = this.options.ciphers() ?? [];
    if (cipher === undefined) throw new SessionFault('session-keys', 'the keys of the session are gone');
    const header = this.header(purpose);
    const plaintext = Buffer.from(JSON.stringify({ until: this.now() + lifetime, content }));
    return this.own(cipher)
      .seal(header, plaintext)
      .slice(header.length + 2);
  }

  unseal(purpose: string, text: string): JsonObject | null {
    const header = this.header(purpose);
    for (const cipher of this.options.ciphers() ?? []) {
      const plaintext = this.own(cipher).open(header, `${header}..${text}`);
      if (plaintext !== null) return contentOf(plaintext.toString(), this.now());
    }
    return null;
  }

  private own(cipher: DirectCipher): DirectCipher {
    const known = this.derived.get(cipher);
    if (known !== undefined) return known;
    const made = cipher.derived(LABEL);
    this.derived.set(cipher, made);
    return made;
  }

  private header(purpose: string): string {
    const known = this.headers.get(purpose);
    if (known !== undefined) return known;
    const { realm, cookieName, method } = this.options;
    const aud = createHash('sha256')
      .update(JSON.stringify([realm, cookieName, purpose]))
      .digest('base64url');
    const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: method, aud })).toString('base64url');
    this.headers.set(purpose, header);
    return header;
  }
}

function contentOf(text: string, now: number): JsonObject | null {
  const whole = JSON.parse(text) as JsonValue; // only this class has the key
  if (!isJsonObject(whole)) return null;
  const { until, content } = whole;
  return typeof until === 'number' && now < until && isJsonObject(content) ? content : null;
}
