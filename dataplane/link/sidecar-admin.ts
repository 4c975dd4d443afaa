import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';

/**
 * `admin.json` as a sidecar with a port of its own takes it: one connector in the clear, held to what the first such one
 * is held to. Ports, certificates and directories are of planes that run by themselves, and a sidecar has none of them.
 */
export function sidecarAdmin(admin: JsonObject, port: number): JsonObject {
  const { temporaryDirectory: _, ...rest } = admin;
  const connectors = Array.isArray(admin['connectors']) ? admin['connectors'] : [];
  const first: unknown = connectors.find((one) => isJsonObject(one) && one['tls'] === undefined);
  const limits = isJsonObject(first as JsonObject) ? { vertx: (first as JsonObject)['vertx'] } : {};
  return { ...rest, connectors: [{ port, ...limits }] };
}
