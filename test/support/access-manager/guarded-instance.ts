import type { FolderContent } from '../gateways/instance-folder.ts';
import type { Credentials } from './wire-target.ts';

export interface GuardedInstance {
  /** URL of the access manager. */
  readonly url: string;
  readonly agent: Credentials;
  /** URL of the application behind the gateway, which is told the user in `X-User`. */
  readonly application: string;
  /** More fields of the AmService. */
  readonly service?: object;
  /** Fields of the cache of decisions. */
  readonly cache?: object;
}

/** The files of an instance with an application behind single sign-on and policies of an access manager. */
export function guardedInstance({ url, agent, application, service, cache }: GuardedInstance): FolderContent {
  const am = {
    name: 'am',
    type: 'AmService',
    config: {
      url,
      agent: { username: agent.username, passwordSecretId: 'agent.password' },
      secretsProvider: {
        type: 'FileSystemSecretStore',
        config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
      },
      sessionCache: { enabled: true, maximumTimeToCache: '1 hour' },
      ...service,
    },
  };
  const signOn = {
    type: 'SingleSignOnFilter',
    config: {
      amService: 'am',
      logoutExpression: "${request.uri.path == '/log-out'}",
      defaultLogoutLandingPage: `${application}/bye`,
    },
  };
  const policies = {
    type: 'PolicyEnforcementFilter',
    config: {
      amService: 'am',
      ssoTokenSubject: '${contexts.ssoToken.value}',
      resourceUriProvider: { type: 'RequestResourceUriProvider', config: { includeQueryParams: false } },
      cache: { enabled: true, defaultTimeout: '1 hour', maximumTimeToCache: '1 hour', ...cache },
    },
  };
  const user = {
    type: 'HeaderFilter',
    config: { messageType: 'REQUEST', remove: ['X-User'], add: { 'X-User': ['${contexts.ssoToken.info.uid}'] } },
  };
  const handler = { type: 'ReverseProxyHandler', baseURI: application };
  return {
    'secrets/agent.password': agent.password,
    'config/routes/app.json': {
      heap: [am],
      handler: { type: 'Chain', config: { filters: [signOn, policies, user], handler } },
    },
  };
}
