import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';

const SENDERS = ['ReverseProxyHandler', 'ClientHandler'];

/** The document with every handler that sends requests on as a forward proxy: tests name backends in the Host header. */
export function asForwardProxy(document: JsonObject): JsonObject {
  const marked = withForwardProxies(document) as JsonObject;
  const heap = Array.isArray(marked['heap']) ? (marked['heap'] as readonly JsonValue[]) : [];
  const declared = heap.map((object) => (isJsonObject(object) ? object['name'] : undefined));
  const added = SENDERS.filter((name) => !declared.includes(name)).map((name) => ({
    name,
    type: name,
    config: { forwardProxy: true },
  }));
  return { ...marked, heap: [...heap, ...added] };
}

/** The same for a route, which refers to the objects of a document that is one. */
export function withForwardProxies(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withForwardProxies);
  if (!isJsonObject(value)) return value;
  const marked = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withForwardProxies(item)]));
  if (!SENDERS.includes(String(value['type'])) || Array.isArray(marked['config'])) return marked;
  const config = marked['config'] ?? {};
  if (isJsonObject(config) && 'backends' in config) return marked; // it says itself where requests go
  return isJsonObject(config) ? { ...marked, config: { forwardProxy: true, ...config } } : marked;
}
