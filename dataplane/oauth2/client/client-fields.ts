import { secretId } from '../../../contract/vocabulary/configured.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';

/** Fields of a client that proves itself with a secret. */
export const clientSecretFields = {
  clientId: printable().describe('Client id of the gateway at the authorization server.'),
  clientSecretId: secretId().describe('Id of the client secret, a GenericSecret.'),
  secretsProvider: ref('secretsProvider').describe('Provider of the secret; it is looked up for each request.'),
};
