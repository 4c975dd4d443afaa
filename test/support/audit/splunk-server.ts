import type { Certified } from '../identity/certificates.ts';
import { type EventRequest, type EventServer, startEventServer } from './event-server.ts';

export interface SplunkServer extends EventServer {
  /** Events that it accepted. */
  readonly accepted: Record<string, unknown>[];
}

/** An HTTP Event Collector: it knows one token, and blames the first event whose `userId` is `bad`. */
export async function startSplunk(token: string, certified: Certified | null = null): Promise<SplunkServer> {
  const accepted: Record<string, unknown>[] = [];
  const say = (status: number, code: number, text: string, more = {}) => ({
    status,
    body: JSON.stringify({ text, code, ...more }),
  });
  const server = await startEventServer(
    ({ path, headers, body }: EventRequest) => {
      if (path !== '/services/collector/event') return { status: 404, body: 'not found' };
      if (headers.authorization === undefined) return say(401, 2, 'Token is required');
      if (headers.authorization !== `Splunk ${token}`) return say(403, 4, `Invalid token ${headers.authorization}`);
      const lines = body.split('\n').map((line) => JSON.parse(line) as { event?: { userId?: string } });
      const bad = lines.findIndex(({ event }) => event?.userId === 'bad');
      accepted.push(...lines.slice(0, bad < 0 ? lines.length : bad));
      return bad < 0 ? say(200, 0, 'Success') : say(400, 6, 'Invalid data format', { 'invalid-event-number': bad });
    },
    { certified },
  );
  return { ...server, accepted };
}
