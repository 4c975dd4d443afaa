import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import {
  type AskOptions,
  type FilteredAnswer,
  type FilteredGateway,
  startFiltered,
} from '../gateways/filtered-gateway.ts';
import { inlineSecrets } from '../identity/inline-secrets.ts';
import type { AccessManager } from './access-manager.ts';
import { AGENT } from './am-identities.ts';

/** The endpoint for policy decisions, for rules and records of the double. */
export const EVALUATE = 'POST /json/policies';

/** Body of a decision request. */
export interface SentQuestion {
  readonly resources: readonly string[];
  readonly application?: string;
  readonly subject: JsonObject;
  readonly environment?: JsonObject;
}

export interface PolicyGateway extends FilteredGateway {
  /** Asks with the session token in the header that the filter takes it from. */
  askAs(token: string, target: string, options?: AskOptions): Promise<FilteredAnswer>;
  /** Decision requests that reached the access manager, in order. */
  questions(): readonly SentQuestion[];
}

/** The declaration of an AmService for the double, without notifications unless they are asked for. */
export function amDeclaration(am: Pick<AccessManager, 'url'>, more: JsonObject = {}): JsonObject {
  return {
    type: 'AmService',
    config: {
      url: am.url,
      agent: { username: AGENT.username, passwordSecretId: 'agent.password' },
      secretsProvider: inlineSecrets({ 'agent.password': AGENT.password }),
      notifications: { enabled: false },
      ...more,
    },
  };
}

/** Notifications that are connected again quickly. */
export const quickNotifications: JsonObject = { notifications: { reconnectDelay: '20 milliseconds' } };

/**
 * A PolicyEnforcementFilter in front of a backend, with the session token of the header `X-Token` as its subject.
 * Without `service` its access manager sends no notifications.
 */
export async function startPolicyGateway(
  am: AccessManager,
  config: JsonObject = {},
  { before = [], service = {} }: { readonly before?: readonly JsonValue[]; readonly service?: JsonObject } = {},
): Promise<PolicyGateway> {
  const subject =
    'jwtSubject' in config || 'claimsSubject' in config ? {} : { ssoTokenSubject: "${request.headers['X-Token'][0]}" };
  const filter = {
    type: 'PolicyEnforcementFilter',
    config: { amService: amDeclaration(am, service), ...subject, ...config },
  };
  const gateway = await startFiltered([...before, filter]);
  return {
    ...gateway,
    askAs: (token, target, options = {}) =>
      gateway.ask(target, { ...options, headers: [`X-Token: ${token}`, ...(options.headers ?? [])] }),
    questions: () => am.callsTo(EVALUATE).map(({ body }) => JSON.parse(body) as SentQuestion),
  };
}
