import { createSecretKey } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ActivityTokens, sessionHash } from '../../../dataplane/access-manager/sign-on/activity-tokens.ts';
import { directCipher } from '../../../dataplane/jose/direct-cipher.ts';
import { fixedSessionKeys } from '../../../dataplane/sessions/session-keys.ts';
import type { Browser, Page } from '../clients/browser.ts';
import { plainExchange } from '../gateways/plain-exchange.ts';
import { type AccessManager, startAccessManager } from './access-manager.ts';
import { type SignOnGateway, type SignOnOptions, startSignOn } from './sign-on-gateway.ts';

export interface Visitor {
  readonly browser: Browser;
  /** Token of the session that the browser has. */
  readonly tokenId: string;
  visit(path?: string): Promise<Page>;
}

export interface IdleGateway extends Visitor {
  readonly am: AccessManager;
  readonly gateway: SignOnGateway;
}

/** Host of the gateways, for the cookies of browsers. */
export const GATEWAY_HOST = '127.0.0.1';
export const TRACKER = 'x-ig-activity-tracker';

/** An AmSessionIdleTimeoutFilter with 5 minutes. */
export function idleFilter(config: JsonObject = {}): JsonObject {
  return {
    type: 'AmSessionIdleTimeoutFilter',
    config: { amService: 'AmService-1', idleTimeout: '5 minutes', ...config },
  };
}

/** An application behind the filter and behind single sign-on, and a browser that has a session. */
export async function startIdle(config: JsonObject = {}, options: SignOnOptions = {}): Promise<IdleGateway> {
  const am = await startAccessManager();
  const gateway = await startSignOn(am, { before: [idleFilter(config)], ...options });
  return { am, gateway, ...visitor(am, gateway) };
}

/** A browser with a new session. */
export function visitor(am: AccessManager, gateway: SignOnGateway): Visitor {
  const browser = gateway.browser();
  const { tokenId } = am.sessions.create('demo', { isClientSide: true });
  browser.jar(GATEWAY_HOST).set(am.cookieName, tokenId);
  return { browser, tokenId, visit: (path = '/a') => browser.fetch(`${gateway.app}${path}`) };
}

/** Stops the wall clock for the rest of the test; the result moves it. */
export function stopWallClock(): (milliseconds: number) => void {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return (milliseconds) => void vi.setSystemTime(Date.now() + milliseconds);
}

export function setCookies({ headers }: Page): string[] {
  return headers['set-cookie'] ?? [];
}

/** Whether the access manager has a session. */
export function isHeld(am: AccessManager, tokenId: string): boolean {
  return am.sessions.all.some((session) => session.tokenId === tokenId);
}

/** The cookie of a session that was last used at a time, as a gateway with this key writes it. */
export function trackerOf(key: Buffer, token: string, seenAt: number, idleTimeout: number): string {
  const method = 'A256GCM';
  const keys = fixedSessionKeys(directCipher(method, createSecretKey(key))!);
  const cookie = { name: TRACKER, path: '/', httpOnly: true, secure: false, sameSite: 'LAX' } as const;
  const tokens = new ActivityTokens({ cookie, keys, realm: '', method });
  const [line = ''] = tokens.lines({ seenAt, idleTimeout, session: sessionHash(token) }, plainExchange());
  return line.slice(0, line.indexOf(';'));
}
