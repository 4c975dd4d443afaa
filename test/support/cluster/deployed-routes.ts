import { request } from 'undici';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { GROUP, type ResourceKind, VERSION } from '../../../contract/resources/resource.ts';

/** An object of ours as somebody would apply it. */
export function deployedObject(kind: ResourceKind, namespace: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: `${GROUP}/${VERSION}`, kind, metadata: { name, namespace }, spec };
}

/** A Route for everything below its own name, which is answered with this text. */
export function sayingRoute(namespace: string, name: string, text: string, more: JsonObject = {}): JsonObject {
  const spec = { condition: `\${find(request.uri.path, '^/${name}$')}`, handler: sayingHandler(text), ...more };
  return deployedObject('Route', namespace, name, spec);
}

export function sayingHandler(text: string): JsonObject {
  const headers = { 'Content-Type': ['text/plain'] };
  return { type: 'StaticResponseHandler', config: { status: 200, headers, entity: text } };
}

/** An answer, as `200 text`. */
export async function said(port: number, path: string, headers: Record<string, string> = {}): Promise<string> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, { headers });
  return `${statusCode} ${await body.text()}`.trim();
}
