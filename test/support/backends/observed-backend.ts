import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers as the backend did that OpenIG was observed in front of: with what it was sent, as JSON, under
 * the `status` and with the headers `h.NAME` that the query asks for.
 */
export async function answerAsObserved(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method, url, rawHeaders } = request;
  const query = new URL(url!, 'http://backend').searchParams;
  response.statusCode = Number(query.get('status') ?? 200);
  for (const name of new Set(query.keys())) {
    if (name.startsWith('h.')) response.setHeader(name.slice(2), query.getAll(name));
  }
  response.setHeader('x-backend', 'echo');
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(chunks).toString() }));
}
