import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, type Dispatcher, request } from 'undici';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { DeployedGateway, RunningController } from '../gateways/deployed-gateway.ts';

/** An answer of Common REST. */
export interface CrestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty for an answer without JSON. */
  readonly body: JsonObject;
  readonly text: string;
}

export interface CrestSending {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Words for a controller that serves Common REST. */
export const CREST_WORDS = ['--secure-admin', '127.0.0.1:0'] as const;

/** Client of the secured admin port of a controller. */
export class CrestClient {
  readonly port: number;
  readonly ca: string;
  readonly origin: string;
  private readonly agent: Agent;

  constructor(port: number, ca: string, connections = 128) {
    this.port = port;
    this.ca = ca;
    this.origin = `https://127.0.0.1:${port}`;
    this.agent = new Agent({ connect: { ca }, connections });
  }

  /** @param token null for none */
  async ask(
    token: string | null,
    method: Dispatcher.HttpMethod,
    path: string,
    { body, headers = {} }: CrestSending = {},
  ): Promise<CrestReply> {
    const answer = await request(`${this.origin}${path}`, {
      method,
      dispatcher: this.agent,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: text.startsWith('{') ? JSON.parse(text) : {},
      text,
    };
  }

  close(): Promise<void> {
    return this.agent.close();
  }
}

/** Returns a client of a controller that was started with `CREST_WORDS`. */
export async function crestClient(
  gateway: DeployedGateway,
  { process }: RunningController,
  connections?: number,
): Promise<CrestClient> {
  const { port } = process.said.find(({ msg }) => msg === 'listening')!['secureAdmin'] as { port: number };
  const wait = ['wait', '--for=create', 'configmap/gatewarden-authority', '-n', gateway.namespace, '--timeout', '300s'];
  await gateway.kubectl(wait);
  const words = ['get', 'configmap', 'gatewarden-authority', '-n', gateway.namespace];
  writeFileSync(gateway.at('ca.crt'), await gateway.kubectl([...words, '-o', 'jsonpath={.data.ca\\.crt}']));
  return new CrestClient(port, readFileSync(gateway.at('ca.crt'), 'utf8'), connections);
}
