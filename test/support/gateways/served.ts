import { onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { pathText } from '../../../contract/problem.ts';
import { ask } from '../clients/answers.ts';
import type { RawAnswer } from '../clients/raw-client.ts';
import {
  type ConfiguredGateway,
  type ConfiguredOptions,
  checkConfigured,
  startConfigured,
} from './configured-gateway.ts';

/** A gateway for the rest of the test whose requests all go to this handler. */
export async function serve(
  handler: JsonValue,
  heap: readonly JsonValue[] = [],
  options: ConfiguredOptions = {},
): Promise<ConfiguredGateway> {
  const gateway = await startConfigured({ heap: [...heap], handler } as JsonObject, options);
  onTestFinished(() => gateway.close());
  return gateway;
}

/** One request on a connection of its own. `head` holds whole header lines; Host is added where it names none. */
export function send(
  gateway: ConfiguredGateway,
  line: string,
  head: readonly string[] = [],
  body = '',
): Promise<RawAnswer> {
  const host = head.some((field) => /^host:/i.test(field)) ? [] : ['Host: gw.test'];
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const fields = [...host, ...length, ...head].map((field) => `${field}\r\n`).join('');
  return ask(gateway.port, `${line} HTTP/1.1\r\n${fields}`, body);
}

/** The problems of a handler, each as `code path: message`. */
export function problemsOf(handler: JsonValue, heap: readonly JsonValue[] = []): string[] {
  const problems = checkConfigured({ heap: [...heap], handler } as JsonObject);
  return problems.map(({ code, path, message }) => `${code} ${pathText(path)}: ${message}`);
}
