import { onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import type { ConfiguredGateway } from '../gateways/configured-gateway.ts';
import { send } from '../gateways/served.ts';
import { eachRequest, plainAnswer, type Script, ScriptedBackend } from './scripted-backend.ts';

/** Bodies of the answers of three applications. */
export const appNames = ['one', 'two', 'three'];

/** A script that answers every request with a name. */
export const answering = (name: string): Script => eachRequest(() => plainAnswer(name));

/** A backend for the rest of the test. */
export async function startApp(script: Script): Promise<ScriptedBackend> {
  const started = await ScriptedBackend.start(script);
  onTestFinished(() => started.close());
  return started;
}

/** Three backends that answer with their names. */
export const startApps = (): Promise<ScriptedBackend[]> =>
  Promise.all(appNames.map((name) => startApp(answering(name))));

/** A port that nobody listens on. */
export async function deadPort(): Promise<number> {
  const started = await ScriptedBackend.start(() => {});
  const { port } = started;
  await started.close();
  return port;
}

/** `endpoints` on loopback. */
export const endpointsAt = (...ports: readonly number[]): JsonObject[] =>
  ports.map((port) => ({ uri: `http://127.0.0.1:${port}` }));

/** A handler in front of Backends. */
export function sendingTo(backends: JsonValue, config: JsonObject = {}, type = 'ReverseProxyHandler'): JsonObject {
  return { type, config: { backends, ...config } };
}

/** Backends that take their endpoints in turn. */
export const inTurn = (endpoints: readonly JsonObject[], config: JsonObject = {}): JsonObject => ({
  type: 'Backends',
  config: { endpoints: [...endpoints], balancing: 'roundRobin', ...config },
});

/** Bodies of the answers to requests that are sent one after the other. */
export async function bodiesOf(
  gateway: ConfiguredGateway,
  requests: number,
  head: readonly string[] = [],
): Promise<string[]> {
  const found: string[] = [];
  for (let i = 0; i < requests; i++) found.push((await send(gateway, 'GET /', head)).body);
  return found;
}
