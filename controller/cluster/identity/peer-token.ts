import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** How long a token is good, in milliseconds: clocks of controllers may differ by as much, as for certificates. */
const LIFETIME = 60 * 60_000;

/**
 * What controllers show each other: it can be made and judged only with the authority that they share, which is in a
 * Secret that nobody else may read. A token of the cluster would also be good for the API server, in whose hands ever.
 */
export function peerToken(secret: string, now: number): string {
  const moment = String(Math.floor(now));
  return `${moment}.${seal(secret, moment).toString('base64url')}`;
}

export function isPeerToken(token: string, secret: string, now: number): boolean {
  const [, moment, sealed] = /^(\d{1,16})\.([\w-]{43})$/.exec(token) ?? [];
  if (moment === undefined || sealed === undefined || Math.abs(now - Number(moment)) > LIFETIME) return false;
  return timingSafeEqual(seal(secret, moment), Buffer.from(sealed, 'base64url'));
}

function seal(secret: string, moment: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'gatewarden peers', 32));
  return createHmac('sha256', key).update(moment).digest();
}
