import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { HttpBackend } from '../backends/http-backend.ts';

/** A request as a token endpoint got it. */
export interface TokenRequest {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: URLSearchParams;
}

export interface TokenEndpoint {
  readonly url: string;
  readonly requests: TokenRequest[];
}

/** An endpoint that answers the n-th request, counted from 0, as it is told: with JSON, or by itself. */
export async function startTokenEndpoint(
  answer: (count: number, response: ServerResponse) => object | null | Promise<object | null>,
): Promise<TokenEndpoint> {
  const requests: TokenRequest[] = [];
  const backend = await HttpBackend.start(async (request, response) => {
    let content = '';
    for await (const chunk of request) content += (chunk as Buffer).toString();
    const form = new URLSearchParams(content);
    const count = requests.push({ target: `${request.method} ${request.url}`, headers: request.headers, form }) - 1;
    const said = await answer(count, response);
    if (said !== null) response.setHeader('Content-Type', 'application/json').end(JSON.stringify(said));
  });
  onTestFinished(() => backend.close());
  return { url: `http://127.0.0.1:${backend.destination.port}/token?realm=a`, requests };
}
