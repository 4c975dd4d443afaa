import type { JsonObject } from '../../../contract/document/json-value.ts';

/** The document of a route to an application, for tests that send it no requests. */
export const proxied: JsonObject = { baseURI: 'http://app.example.com:8080', handler: 'ReverseProxyHandler' };
