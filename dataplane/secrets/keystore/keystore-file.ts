import { hash } from 'node:crypto';
import type { Secret } from '../../../contract/secret.ts';
import { errorText } from '../../../platform/error-text.ts';
import type { StoredSecret } from '../../heap/objects/secrets.ts';
import { entrySecrets } from './entry-secrets.ts';
import type { Keystore } from './keystore-entry.ts';
import { KeystoreProblem, WrongPassword } from './keystore-problem.ts';
import { type KeystoreType, MOST_BYTES, readKeystore } from './read-keystore.ts';

/** A password and the id that it was asked for by; null where there is none. */
export type KeystorePassword = { readonly id: string; readonly secret: Secret } | null;

export interface Passwords {
  readonly store: KeystorePassword;
  readonly entry: KeystorePassword;
}

export interface KeystoreFileOptions {
  readonly type: KeystoreType;
  /** The file for messages. */
  readonly path: string;
  /** The content of the file, or null when it cannot be read. */
  readFile(): Uint8Array | null;
  passwords(): Promise<Passwords>;
  /** Hears of every version of the file that was opened. */
  opened(keystore: OpenKeystore): void;
  /** Hears why it cannot be opened, once for each reason. */
  failed(error: unknown): void;
}

/** A keystore that was read. */
export interface OpenKeystore {
  /** The aliases in it, sorted. */
  readonly aliases: readonly string[];
  /** What of the file is left out and why. */
  readonly notes: readonly string[];
  has(alias: string): boolean;
  /** What is under an alias, decrypted once; nothing where there is no such entry. */
  secrets(alias: string): Promise<readonly StoredSecret[]>;
}

interface Version {
  readonly digest: string;
  readonly passwords: Passwords;
  readonly opening: Promise<OpenKeystore>;
}

/**
 * A keystore in a file. Each version of it is opened once for everybody, and what came of that, also that it cannot be
 * opened, holds until the file or a password is different: to find it out takes work that the file decides on.
 */
export class KeystoreFile {
  private readonly options: KeystoreFileOptions;
  private version: Version | null = null;
  /** Why it could not be opened the last time, so that it is told once. */
  private told: string | null = null;

  constructor(options: KeystoreFileOptions) {
    this.options = options;
  }

  /** The keystore as it is now. Rejects with an error that says nothing of what is in it. */
  async open(): Promise<OpenKeystore> {
    try {
      const keystore = await this.current();
      this.told = null;
      return keystore;
    } catch (error) {
      const reason = errorText(error);
      if (reason !== this.told) this.options.failed(error);
      this.told = reason;
      throw error;
    }
  }

  /** Whether the file and the passwords are those that were read last. */
  async isAsBefore(): Promise<boolean> {
    try {
      const { digest, passwords } = await this.look();
      return this.version !== null && isSame(this.version, digest, passwords);
    } catch {
      return false;
    }
  }

  private async current(): Promise<OpenKeystore> {
    const { bytes, digest, passwords } = await this.look();
    if (this.version !== null && isSame(this.version, digest, passwords)) return this.version.opening;
    const opening = this.read(bytes, passwords);
    this.version = { digest, passwords, opening };
    opening.then(this.options.opened, () => {}); // whoever opens it hears why not
    return opening;
  }

  private async look(): Promise<{ bytes: Uint8Array; digest: string; passwords: Passwords }> {
    const passwords = await this.options.passwords();
    const { path } = this.options;
    const bytes = this.options.readFile();
    if (bytes === null) throw new KeystoreProblem(unreadableKeystore(path));
    if (bytes.length > MOST_BYTES) {
      throw new KeystoreProblem(`the keystore '${path}' is larger than ${MOST_BYTES >> 20} MiB`);
    }
    return { bytes, digest: hash('sha256', bytes), passwords };
  }

  private async read(bytes: Uint8Array, { store, entry }: Passwords): Promise<OpenKeystore> {
    const { type, path } = this.options;
    try {
      return openKeystore(await readKeystore(type, bytes, textOf(store)), entry);
    } catch (error) {
      if (error instanceof WrongPassword && store !== null) {
        const reason = `the secret '${store.id}' is not its password, or it is damaged${lineBreakHint(store)}`;
        throw new KeystoreProblem(`the keystore '${path}' cannot be opened: ${reason}`);
      }
      const reason = errorText(error);
      throw new KeystoreProblem(`the keystore '${path}' cannot be opened: ${reason}`);
    }
  }
}

function openKeystore({ entries, notes }: Keystore, password: KeystorePassword): OpenKeystore {
  const known = new Map<string, Promise<readonly StoredSecret[]>>();
  // Java looks for aliases in lower case, which is how it writes them
  const find = (alias: string) => entries.get(alias) ?? entries.get(alias.toLowerCase());
  const decrypted = async (alias: string): Promise<readonly StoredSecret[]> => {
    const entry = find(alias);
    if (entry === undefined) return [];
    try {
      return await entrySecrets(entry, alias, textOf(password));
    } catch (error) {
      throw new KeystoreProblem(`its entry '${alias}' cannot be used: ${entryReason(error, password)}`);
    }
  };
  return {
    aliases: [...entries.keys()].sort(),
    notes,
    has: (alias) => find(alias) !== undefined,
    secrets(alias) {
      const secrets = known.get(alias) ?? decrypted(alias);
      known.set(alias, secrets);
      return secrets;
    },
  };
}

function entryReason(error: unknown, password: KeystorePassword): string {
  if (!(error instanceof WrongPassword)) return errorText(error);
  if (password === null) return "it has a password, and there is neither a store password nor 'entryPasswordSecretId'";
  const hint = lineBreakHint(password) || "; 'entryPasswordSecretId' names a password of entries that is another one";
  return `the secret '${password.id}' is not its password, or it is damaged${hint}`;
}

/** Message for a keystore that is missing or not readable by the gateway. */
export function unreadableKeystore(path: string): string {
  return `the keystore '${path}' cannot be read: there is no such file, or the gateway may not read it`;
}

/** The one mistake that nobody sees. */
function lineBreakHint({ secret }: { readonly secret: Secret }): string {
  const last = secret.reveal().at(-1);
  if (last === undefined) return '; the password is empty';
  return last === 0x0a || last === 0x0d
    ? '; the password ends with a line break, and its file must hold nothing but the password'
    : '';
}

function textOf(password: KeystorePassword): string | null {
  if (password === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(password.secret.reveal());
  } catch {
    const hint = "if it is not in base64, the 'format' of its store has to be PLAIN";
    throw new KeystoreProblem(`the secret '${password.id}' is not UTF-8 text, as passwords must be; ${hint}`);
  }
}

function isSame(version: Version, digest: string, { store, entry }: Passwords): boolean {
  const { passwords } = version;
  return version.digest === digest && isSamePassword(passwords.store, store) && isSamePassword(passwords.entry, entry);
}

function isSamePassword(one: KeystorePassword, other: KeystorePassword): boolean {
  if (one === null || other === null) return one === other;
  return one.id === other.id && one.secret.equals(other.secret.reveal());
}
