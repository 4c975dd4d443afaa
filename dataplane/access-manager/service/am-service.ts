import { z } from 'zod';
import { secretId, text, url } from '../../../contract/vocabulary/configured.ts';
import { refused } from '../../../contract/vocabulary/field-notes.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { isToken } from '../../engine/wire/bytes.ts';
import { clearTextRemarks } from '../../heap/clear-text-remark.ts';
import { defineService } from '../../heap/definition.ts';
import { objectLabels } from '../../heap/objects/object-labels.ts';
import { notificationFields } from '../notifications/notification-fields.ts';
import { serviceNotifications } from '../notifications/service-notifications.ts';
import { ManagedSessions, type SessionService } from '../sessions/managed-sessions.ts';
import { sessionFields } from '../sessions/session-cache-fields.ts';
import { AgentCalls } from './agent-calls.ts';
import { AmEndpoints } from './am-endpoints.ts';
import { version } from './am-version.ts';
import { realm } from './realm.ts';
import { SharedAgentToken } from './shared-agent-token.ts';

const agent = z.strictObject({
  username: printable().describe('Name of the agent profile.'),
  passwordSecretId: secretId().describe('Id of the password of the agent, a GenericSecret.'),
  password: refused("passwords are not allowed in documents: use 'passwordSecretId'").describe(
    'The password itself, as in earlier versions of OpenIG.',
  ),
});

/** An access manager, for the objects that ask it something. */
export const amService = defineService({
  type: 'AmService',
  kind: 'amService',
  ownCalls: ['amHandler'],
  summary:
    'An access manager, and the agent that the gateway uses there. Objects that refer to it use the endpoints of ' +
    'its realm. The agent logs in when it is first needed: by the default authentication chain of the realm and, if ' +
    'that refuses it, by the module `Application`, then by the tree `Agent`. All units and all equal services of a ' +
    'tenant share its token. If the access manager rejects the token, the agent logs in once more and the request is repeated once. After a ' +
    'failed log-in, further ones are delayed by 1 second up to 1 minute, and requests that need the agent fail at ' +
    'once. Names and passwords with other characters than printable ASCII are sent as encoded words (RFC 2047).',
  config: z.strictObject({
    url: url()
      .refine(({ username, password }) => username === '' && password === '', {
        error: "must hold no credentials: use 'agent'",
      })
      .refine(({ search, hash }) => search === '' && hash === '', { error: 'must end with its path' })
      .describe(
        'URL of the access manager, with or without a trailing slash, such as `https://am.example.com/openam`.',
      ),
    realm: realm().default('/').describe('Realm of the agent and of the endpoints; `/` is the root.'),
    agent: agent.describe('Agent that the gateway authenticates as.'),
    secretsProvider: ref('secretsProvider').describe('Provider of the password.'),
    amHandler: ref('handler')
      .prefault('ForgeRockClientHandler')
      .describe(
        'Handler for requests to the access manager. Resolvers have a `providerHandler` for token introspection.',
      ),
    notifications: notificationFields,
    ...sessionFields,
    ssoTokenHeader: text()
      .refine(isToken, { error: 'is not the name of a header' })
      .optional()
      .describe(
        'Name of the header and the cookie with session tokens. By default the gateway asks the access manager ' +
          '(`/json/serverinfo/*`).',
      ),
    version: version()
      .optional()
      .describe(
        'Version of the access manager, such as `7.5`. It decides the form of addresses. A version that the access ' +
          'manager tells (`/json/serverinfo/version`) overrides it. The default is 6.',
      ),
  }),
  examples: [
    {
      title: 'The realm of customers',
      config: {
        url: 'https://am.example.com/openam',
        realm: '/customers',
        agent: { username: 'gateway', passwordSecretId: 'agent.password' },
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  remarks({ url: place }) {
    return clearTextRemarks(
      'url',
      place,
      'tokens travel unencrypted, and anyone on the path can declare any token valid',
    );
  },
  create(config, parts) {
    const { resolve, plane, log, onClose } = parts;
    const identity = parts.declaration();
    const endpoints = new AmEndpoints(config.url.href.replace(/\/+$/, ''), config.realm);
    const provider = resolve(config.secretsProvider);
    const handler = resolve(config.amHandler);
    const { username, passwordSecretId } = config.agent;
    const memory = plane.sharedMemory(JSON.stringify(['agent token', identity]), SharedAgentToken.bytes);
    onClose(() => memory.release());
    const shared = new SharedAgentToken(memory.buffer);
    onClose(plane.gauge('gw_am_agent_login_failing', objectLabels(parts), () => (shared.isFailing ? 1 : 0)));
    const calls = new AgentCalls({
      endpoints,
      handler,
      username,
      password: () => provider.active(passwordSecretId),
      shared,
      ssoTokenHeader: config.ssoTokenHeader ?? null,
      version: config.version ?? null,
      log,
    });
    const service: SessionService = {
      identity,
      jsonEndpoint: (path, inRealm) => endpoints.json(path, inRealm),
      call: (request, parent) => calls.call(request, parent),
      cookieName: (parent) => calls.cookieName(parent),
      version: (parent) => calls.version(parent),
      notifications: serviceNotifications(config.notifications, { endpoints, calls, identity }, parts),
    };
    return {
      ...service,
      url: endpoints.url,
      realm: endpoints.realm,
      agentName: username,
      handler,
      oauth2Endpoint: (name, inRealm) => endpoints.oauth2(name, inRealm),
      sessions: new ManagedSessions(service, config, parts),
    };
  },
});
