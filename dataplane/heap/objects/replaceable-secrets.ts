import type { Logger } from 'pino';
import type { Secret } from '../../../contract/secret.ts';
import type { CryptoKey, KeyUsage, SecretStore, SecretsProvider } from './secrets.ts';

/** A secret store that can be replaced while objects hold it: they are told that something changed, and ask again. */
export class ReplaceableSecrets implements SecretStore {
  readonly name: string;
  private readonly log: Logger;
  private current: SecretsProvider;
  private readonly listeners = new Set<() => void>();
  private endWatch: (() => void) | null = null;

  constructor(name: string, first: SecretsProvider, log: Logger) {
    this.name = name;
    this.current = first;
    this.log = log;
  }

  active(id: string): Promise<Secret> {
    return this.current.active(id);
  }

  valid(id: string): Promise<readonly Secret[]> {
    return this.current.valid(id);
  }

  key(usage: KeyUsage, id: string): Promise<CryptoKey> {
    return this.current.key(usage, id);
  }

  keys(usage: KeyUsage, id: string): Promise<readonly CryptoKey[]> {
    return this.current.keys(usage, id);
  }

  keysAtHand(usage: KeyUsage, id: string): readonly CryptoKey[] | null {
    return this.current.keysAtHand?.(usage, id) ?? null;
  }

  named(usage: KeyUsage, id: string, stableId: string): Promise<CryptoKey> {
    return this.current.named(usage, id, stableId);
  }

  watch(listener: () => void): () => void {
    const own = (): void => listener(); // the same function may be given twice
    this.listeners.add(own);
    this.follow();
    return () => {
      this.listeners.delete(own);
      this.follow();
    };
  }

  /** Questions that were asked before are answered by the store that was asked. */
  replace(next: SecretsProvider): void {
    this.endWatch?.();
    this.endWatch = null;
    this.current = next;
    this.follow();
    this.tell();
  }

  /** Watches the store only while somebody listens: some stores work for their listeners. */
  private follow(): void {
    if (this.listeners.size > 0) this.endWatch ??= this.current.watch(() => this.tell());
    else {
      this.endWatch?.();
      this.endWatch = null;
    }
  }

  private tell(): void {
    for (const listener of [...this.listeners]) {
      try {
        listener();
      } catch (error) {
        this.log.error({ err: error }, 'a listener for secret changes threw');
      }
    }
  }
}
