import { errorText } from '../../platform/error-text.ts';
import type { ConnectFailure } from '../engine/wire/connect.ts';
import type { HttpProxy } from '../heap/objects/proxy-options.ts';

/** Name of a proxy in messages. */
export function proxyName({ host, port }: HttpProxy): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** That a proxy does not lead to the backend. */
export function proxyFailure(proxy: HttpProxy, reason: string): ConnectFailure {
  return { refusal: 'backend-proxy', reason: `proxy ${proxyName(proxy)}: ${reason}` };
}

/** That a proxy which answers so does not lead anywhere. */
export function proxyRefusal(proxy: HttpProxy, status: number): ConnectFailure {
  if (status !== 407) return proxyFailure(proxy, `it refuses (${status})`);
  const { reason } = proxyFailure(proxy, 'it rejected our credentials, or we sent none (407)');
  return { refusal: 'backend-proxy-credentials', reason };
}

/** Why there are no credentials; errors of secrets name no values. */
export function credentialsReason(error: unknown): string {
  return `its credentials are not available: ${errorText(error)}`;
}
