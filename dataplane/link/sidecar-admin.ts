import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';

/**
 * `admin.json` as a sidecar with a port of its own takes it: of its connectors the first one in the clear, for what
 * clients are held to, or one that asks nothing of them. Certificates and directories are those of planes that run by
 * themselves, and a sidecar has none of them.
 */
export function sidecarAdmin(admin: JsonObject): JsonObject {
  const { temporaryDirectory: _, connectors, ...rest } = admin;
  if (!Array.isArray(connectors)) return connectors === undefined ? rest : { ...rest, connectors };
  const [first, ...others] = connectors as readonly JsonValue[];
  const plain = [first, ...others].find((one) => isJsonObject(one) && one['tls'] === undefined);
  const only = plain ?? (isJsonObject(first) ? { port: first['port'] ?? null } : first);
  return { ...rest, connectors: only === undefined ? [] : [only] };
}
