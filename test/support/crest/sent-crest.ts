import { answerCrest } from '../../../contract/crest/answer-crest.ts';
import type { CrestEndpoint } from '../../../contract/crest/provider.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';

/** Answer with its body read as JSON. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** Sends a request to an endpoint, such as `GET /alice?_fields=name`, with JSON as its body. */
export async function sendCrest(
  endpoint: CrestEndpoint,
  line: string,
  body?: JsonValue,
  headers: Readonly<Record<string, string>> = {},
): Promise<SentAnswer> {
  const [, method = '', path = '', query = ''] = /^(\w+) ([^?]*)\??(.*)$/.exec(line) ?? [];
  const all: Readonly<Record<string, string>> = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  const answer = await answerCrest(endpoint, {
    method,
    path,
    query,
    header: (name) => all[name] ?? null,
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    url: 'http://gw.test/api/users',
  });
  const text = answer.body instanceof Uint8Array ? Buffer.from(answer.body).toString() : String(answer.body);
  return { ...answer, body: text === '' ? {} : (JSON.parse(text) as JsonObject) };
}
