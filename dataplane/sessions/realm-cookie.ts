import { createHash } from 'node:crypto';
import type { SessionOwner } from '../heap/objects/sessions.ts';
import type { CookieRule } from './cookie-fields.ts';

/**
 * The cookie for a tenant. Where an operator's manager keeps its sessions the name is one of its own, so that sessions
 * of tenants and of the gateway around them cannot overwrite each other.
 */
export function realmCookie(rule: CookieRule, { realm, isLent }: SessionOwner): CookieRule {
  if (!isLent) return rule;
  const mark = createHash('sha256').update(realm).digest('hex').slice(0, 8);
  return { ...rule, name: `${rule.name}-${mark}` };
}
