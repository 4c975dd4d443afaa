import { expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { sidecarAdmin } from '../../../dataplane/link/sidecar-admin.ts';

const secure = { port: 8443, tls: 'ServerTlsOptions' };
const plain = { port: 8080, vertx: { maxHeaderSize: 1000 } };

it.each<[string, JsonObject, JsonObject]>([
  ['nothing', {}, {}],
  [
    'what is about requests',
    { streamingEnabled: true, maxBodyLength: 9 },
    { streamingEnabled: true, maxBodyLength: 9 },
  ],
  ['no directory', { temporaryDirectory: '/data', prefix: 'x' }, { prefix: 'x' }],
  ['the only connector', { connectors: [plain] }, { connectors: [plain] }],
  ['the first connector in the clear', { connectors: [secure, plain, { port: 1 }] }, { connectors: [plain] }],
  ['a connector without what TLS needs', { connectors: [secure] }, { connectors: [{ port: 8443 }] }],
])('a sidecar takes %s of admin.json', (_, admin, taken) => {
  expect(sidecarAdmin(admin)).toEqual(taken);
});
