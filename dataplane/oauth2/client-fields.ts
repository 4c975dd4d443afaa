import { secretId, text } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';

const isPrintable = (name: string): boolean => !/\p{Cc}/u.test(name);

/** The id that an authorization server knows the gateway by. */
export const clientId = () => text().refine(isPrintable, { error: 'must hold no control character' });

/** Fields of a client that proves itself with a secret. */
export const clientSecretFields = {
  clientId: clientId().describe('Id that the authorization server knows the gateway by.'),
  clientSecretId: secretId().describe('Id of the secret that belongs to it, a GenericSecret.'),
  secretsProvider: ref('secretsProvider').describe('Provider of the secret, asked for each request.'),
};
