import { secretId } from '../../../contract/vocabulary/configured.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';

/** Fields of a client that proves itself with a secret. */
export const clientSecretFields = {
  clientId: printable().describe('Id that the authorization server knows the gateway by.'),
  clientSecretId: secretId().describe('Id of the secret that belongs to it, a GenericSecret.'),
  secretsProvider: ref('secretsProvider').describe('Provider of the secret, asked for each request.'),
};
