import { generateKeyPairSync, sign } from 'node:crypto';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { CONSENT_LABEL } from '../../../contract/resources/resource.ts';
import { deployedObject, sayingHandler } from '../cluster/deployed-routes.ts';
import { tokenPart } from './token-text.ts';

const ISSUER = 'https://id.example.com';
/** The key of a Secret that has the key of an issuer. */
export const SECRET_KEY = 'issuer.pem';

/** The key of somebody who issues access tokens. */
export class IssuerKey {
  /** For whoever verifies. */
  readonly pem: string;
  /** A token that is good for an hour. */
  readonly token: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const exp = Math.floor(Date.now() / 1000) + 3600;
    const signed = [{ alg: 'ES256' }, { iss: ISSUER, sub: 'alice', scope: 'read', exp }].map(tokenPart).join('.');
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    this.token = `${signed}.${tokenPart(signature)}`;
  }

  get headers(): { readonly authorization: string } {
    return { authorization: `Bearer ${this.token}` };
  }

  /** The Secret that the key is in. */
  secret(namespace: string, name: string, data: JsonObject = { [SECRET_KEY]: this.pem }): JsonObject {
    const metadata = { name, namespace, labels: { [CONSENT_LABEL]: 'allowed' } };
    return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: data };
  }
}

/** A store with the key of a Secret of its own name. */
export function issuerStore(namespace: string, name: string, more: JsonObject = {}): JsonObject {
  const secrets = [{ name, items: [{ key: SECRET_KEY, file: 'verify' }] }];
  const config = { format: { type: 'PemPropertyFormat' } };
  return deployedObject('SecretStore', namespace, name, { type: 'FileSystemSecretStore', config, secrets, ...more });
}

/** A Route for its own name that lets in who has a token of the issuer whose key is in a store. */
export function guardedRoute(
  namespace: string,
  name: string,
  store: string,
  handler: JsonObject = sayingHandler('in'),
): JsonObject {
  const resolverConfig = { issuer: ISSUER, secretsProvider: store, verificationSecretId: 'verify' };
  const accessTokenResolver = { type: 'StatelessAccessTokenResolver', config: resolverConfig };
  const guard = {
    type: 'OAuth2ResourceServerFilter',
    config: { scopes: ['read'], requireHttps: false, accessTokenResolver },
  };
  return deployedObject('Route', namespace, name, {
    condition: `\${find(request.uri.path, '^/${name}$')}`,
    handler: { type: 'Chain', config: { filters: [guard], handler } },
  });
}
