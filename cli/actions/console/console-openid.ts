import { basename, dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { OpenidSignIn } from '../../../controller/cluster/sign-in/openid-sign-in.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { adminRegistration } from '../../../dataplane/connectors/admin-registration.ts';
import { ConsoleClient } from '../../../dataplane/openid/console/console-client.ts';
import { operatorReach } from '../../../dataplane/unit/operator-reach.ts';
import { OPENID_PATH } from '../../../platform/admin/console-paths.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { ConsoleProvider } from '../../options/console-provider.ts';
import { consolePlace } from './console-sealing.ts';

const DIRECTORIES = { instance: '/', config: '/', temp: '/tmp' };

/** Makes a sign-in with keys that come and go. */
export type OpenOpenid = (keys: () => readonly string[]) => OpenidSignIn;

/** Prepares sign-ins to the console at an OpenID provider, which is asked when somebody signs in first. @throws Error */
export async function consoleOpenid(
  provider: ConsoleProvider,
  log: Logger,
  { wall: now }: Pick<Clock, 'wall'> = systemClock,
): Promise<OpenOpenid> {
  const reach = operatorReach({ env: {}, system: {}, directories: DIRECTORIES });
  const { registration, parts } = await adminRegistration({ config: registrationOf(provider), catalogue, reach, log });
  const { name, origin, signOut } = provider;
  const landing = signOut === 'provider' ? `${origin}/console/` : null;
  return (keys) =>
    new ConsoleClient({
      ...{ registration, parts, name, origin, path: OPENID_PATH, landing, log, now },
      place: consolePlace(keys),
    });
}

/** The fields of a ClientRegistration. Secret and CA certificates are read from their files again when these change. */
function registrationOf({ issuer, clientId, clientSecret, scopes, origin, ca }: ConsoleProvider): JsonObject {
  const handler = ca === null ? 'ClientHandler' : { type: 'ClientHandler', config: { tls: trusting(ca) } };
  return {
    ...{ issuer, clientId, scopes: [...scopes], redirect_uris: [`${origin}${OPENID_PATH}/callback`] },
    authenticatedRegistrationHandler: handler,
    ...(clientSecret !== null && {
      clientSecretId: basename(clientSecret),
      secretsProvider: filesBeside(clientSecret, 'PLAIN'),
    }),
  };
}

function trusting(ca: string): JsonObject {
  return {
    type: 'ClientTlsOptions',
    config: {
      trustManager: {
        type: 'SecretsTrustManager',
        config: {
          verificationSecretId: basename(ca),
          secretsProvider: filesBeside(ca, { type: 'PemPropertyFormat' }),
          checkRevocation: false,
        },
      },
    },
  };
}

function filesBeside(path: string, format: string | JsonObject): JsonObject {
  return { type: 'FileSystemSecretStore', config: { directory: dirname(resolve(path)), format } };
}
