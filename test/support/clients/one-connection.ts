import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:http2';
import { onTestFinished } from 'vitest';

/** Sends requests over one connection. */
export interface OneConnection {
  /** @returns the status of the answer */
  status(target: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<number>;
}

/** Connections of both protocols, by name. */
export const connections: readonly (readonly [string, (port: number) => OneConnection])[] = [
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
];

function overHttp1(port: number): OneConnection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return {
    async status(path, headers = {}, method = 'GET') {
      const sent = request({ agent, host: '127.0.0.1', port, path, method, headers: { host: 'gw.test', ...headers } });
      sent.end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      await once(answer, 'end');
      return answer.statusCode!;
    },
  };
}

function overHttp2(port: number): OneConnection {
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  return {
    async status(path, headers = {}, method = 'GET') {
      const fields = { ':path': path, ':method': method, ':authority': 'gw.test', ...lowered(headers) };
      const stream = session.request(fields);
      stream.end();
      const [head] = (await once(stream, 'response')) as [{ readonly ':status'?: number }];
      stream.resume();
      await once(stream, 'close');
      return head[':status']!;
    },
  };
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
