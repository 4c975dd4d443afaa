import type { HttpProxy } from '../heap/proxy-options.ts';
import type { ConnectFailure } from '../http/connect.ts';

/** What a message calls a proxy. */
export function proxyName({ host, port }: HttpProxy): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** That a proxy does not lead to the backend. */
export function proxyFailure(proxy: HttpProxy, reason: string): ConnectFailure {
  return { refusal: 'backend-proxy', reason: `proxy ${proxyName(proxy)}: ${reason}` };
}

/** Why a proxy that answers so does not lead anywhere. */
export function statusReason(status: number): string {
  return status === 407 ? 'it wants credentials, or other ones (407)' : `it refuses (${status})`;
}

/** Why there are no credentials; errors of secrets name no values. */
export function credentialsReason(error: unknown): string {
  return `there are no credentials for it: ${error instanceof Error ? error.message : String(error)}`;
}
