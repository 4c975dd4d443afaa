import type { Secret } from '../../../contract/secret.ts';
import type { Next } from '../../engine/message/exchange.ts';

/** An access manager, and the agent as which the gateway speaks to it. */
export interface AmService {
  /** Its base URL without a slash at the end, such as `https://am.example.com/openam`. */
  readonly url: string;
  /** Begins with a slash; `/` is the root realm. */
  readonly realm: string;
  /** What sends requests to it. */
  readonly handler: Next;
  readonly agentName: string;
  /** Rejects when it cannot be read. */
  agentPassword(): Promise<Secret>;
  /** The address of an endpoint of OAuth 2.0 in the realm: `introspect` gives `<url>/oauth2/realms/root/introspect`. */
  oauth2Endpoint(name: string): string;
}
