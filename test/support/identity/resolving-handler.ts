import type { Next } from '../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../dataplane/engine/message/response.ts';
import type { AccessTokenResolver } from '../../../dataplane/heap/objects/access-tokens.ts';

/** What became of a token, as the handler tells it. */
export interface Told {
  readonly kind: 'token' | 'refusal';
  readonly error?: string;
  readonly description?: string;
  readonly cause?: string | null;
  readonly scopes?: readonly string[];
  /** Null for a token that never expires. */
  readonly expiresAt?: number | null;
  readonly info?: Record<string, unknown>;
}

/** Asks a resolver about the token behind the scheme in `Authorization`, and tells as JSON what it says. */
export function resolvingHandler(resolver: AccessTokenResolver): Next {
  return async (exchange) => {
    const token = /^\S+ (.*)$/.exec(exchange.request.headers.get('authorization') ?? '')?.[1] ?? '';
    const resolution = await resolver.resolve(token, exchange);
    const refusal = resolution.kind === 'token' ? await resolver.confirm?.(resolution, exchange) : resolution;
    return textResponse(200, JSON.stringify(told(refusal ?? resolution)));
  };
}

function told(resolution: Awaited<ReturnType<AccessTokenResolver['resolve']>>): Told {
  if (resolution.kind === 'token') return { ...resolution, scopes: [...resolution.scopes] };
  const { cause } = resolution;
  return { ...resolution, cause: cause === null ? null : cause instanceof Error ? cause.message : String(cause) };
}
