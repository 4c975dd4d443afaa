import type { Exchange } from '../../../dataplane/engine/message/exchange.ts';
import {
  type AccessToken,
  type AccessTokenResolver,
  invalidToken,
  type Resolution,
} from '../../../dataplane/heap/objects/access-tokens.ts';

type Script = Resolution | Error | ((exchange: Exchange) => Resolution | Promise<Resolution>);

/** A resolver that says what the test tells it to, and refuses every other token. */
export class ScriptedResolver implements AccessTokenResolver {
  /** The tokens it was asked about, in order. */
  readonly asked: string[] = [];
  private readonly scripts: Map<string, Script>;
  private readonly listeners = new Set<() => void>();

  constructor(scripts: Readonly<Record<string, Script>>) {
    this.scripts = new Map(Object.entries(scripts));
  }

  /** Says that nothing counts that was said before. */
  takeBack(): void {
    for (const listener of this.listeners) listener();
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(token: string, script: Script): void {
    this.scripts.set(token, script);
  }

  resolve(token: string, exchange: Exchange): Resolution | Promise<Resolution> {
    this.asked.push(token);
    const script = this.scripts.get(token) ?? invalidToken('nobody knows this token');
    if (script instanceof Error) throw script;
    return typeof script === 'function' ? script(exchange) : script;
  }
}

/** What is known of a good token, with what a test is about. */
export function goodToken(token: string, more: Partial<AccessToken> = {}): AccessToken {
  return {
    kind: 'token',
    token,
    info: { sub: 'demo', active: true },
    scopes: new Set(['read', 'write']),
    expiresAt: Number.POSITIVE_INFINITY,
    ...more,
  };
}
