import { z } from 'zod';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
import { emptyRefusal } from '../../engine/message/response.ts';
import { defineFilter } from '../../heap/definition.ts';
import type { AmSession } from '../../heap/objects/am-service.ts';
import { denials } from '../../heap/objects/denials.ts';
import { signInNeeded } from '../../openid/client/sign-in-needed.ts';
import { SessionVerdicts } from './session-verdicts.ts';
import { exampleService } from './sign-on-fields.ts';

const NO_TOKEN =
  "'ssoToken' gives no session token: place a SingleSignOnFilter or a CrossDomainSingleSignOnFilter before this filter";

/** Adds what an access manager knows of a session. */
export const sessionInfoFilter = defineFilter({
  type: 'SessionInfoFilter',
  provides: ['amSession'],
  checksSession: true,
  summary:
    'Gets the session of a user with its properties from an access manager, for the filters behind it: in the context ' +
    '`amSession` with `username`, `universalId`, `realm`, `latestAccessTime`, `maxIdleExpirationTime`, ' +
    '`maxSessionExpirationTime` (texts), `properties` and `asJsonValue`. Put it behind a SingleSignOnFilter or a ' +
    'CrossDomainSingleSignOnFilter. `sessionProperties` of the AmService names the properties, and its `sessionCache` ' +
    'keeps the session. A request without a valid session gets 401; 500 if the access manager does not answer.',
  config: z.strictObject({
    amService: ref('amService').describe('Access manager of the session.'),
    ssoToken: runtimeText()
      .prefault('${contexts.ssoToken.value}')
      .describe('Session token; by default that of the filter for sign-on before it.'),
  }),
  examples: [{ title: 'After a SingleSignOnFilter', config: { amService: exampleService } }],
  create({ amService, ssoToken }, parts) {
    const { sessions, url } = parts.resolve(amService);
    const verdicts = new SessionVerdicts(url, parts);
    const denied = denials(parts, ['sign-in-needed', 'session-unchecked']);
    const failed = new PacedWarning(parts.log, 'session of a user could not be read; the request is refused', {
      most: 1,
    });

    function judge(session: AmSession | null, isCached: boolean, exchange: Exchange, next: Next): Answer {
      if (exchange.over) return emptyRefusal('cancelled');
      if (session === null) return signInNeeded(denied, exchange);
      verdicts.allowed(exchange, session, isCached);
      const { username, universalId, realm, properties, raw } = session;
      const { latestAccessTime, maxIdleExpirationTime, maxSessionExpirationTime } = session;
      exchange.setContext('amSession', {
        username,
        universalId,
        realm,
        latestAccessTime,
        maxIdleExpirationTime,
        maxSessionExpirationTime,
        properties,
        asJsonValue: raw,
      });
      return next(exchange);
    }

    return function addSession(exchange, next) {
      const token = ssoToken.read(exchange, null);
      if (token === null || token === '') return signInNeeded(denied, exchange, NO_TOKEN);
      const session = sessions.properties(token, exchange);
      if (!(session instanceof Promise)) return judge(session, true, exchange, next);
      return session.then(
        (found) => judge(found, false, exchange, next),
        (error: unknown) => {
          if (exchange.over) return emptyRefusal('cancelled');
          const reason = errorText(error);
          failed.give({ reason, route: exchange.route });
          return denied.answer(exchange, 'session-unchecked', undefined, reason);
        },
      );
    };
  },
});
