import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const SHOW = {
  type: 'HeaderFilter',
  config: {
    messageType: 'RESPONSE',
    add: {
      'X-Original': ['<${contexts.router.originalUri}>'],
      'X-Port': ['${contexts.router.originalUri.port}x'],
      'X-Request-Scheme': ['${request.uri.scheme}'],
    },
  },
};

async function original(config: object, headers: string[] = [], host = 'gw.test:8080') {
  const { ask, seen, logged } = await startFiltered(
    [JSON.parse(JSON.stringify({ type: 'ForwardedRequestFilter', config })), SHOW],
    undefined,
    { trustedProxies: ['127.0.0.1'] },
  );
  const answer = await ask('/a%20b?c=d', { headers, host });
  const uri = answer.values('x-original')[0]?.slice(1, -1);
  const [port] = answer.values('x-port');
  return { status: answer.status, uri, port, scheme: answer.values('x-request-scheme')[0], seen, logged };
}

describe('ForwardedRequestFilter', () => {
  it.each([
    [{ scheme: 'https' }, 'https://gw.test:8080/a%20b?c=d', '8080x'],
    [{ scheme: 'HTTPS', port: 443 }, 'https://gw.test/a%20b?c=d', '443x'],
    [{ scheme: 'https', port: '8443' }, 'https://gw.test:8443/a%20b?c=d', '8443x'],
    [{ host: 'www.example.com' }, 'http://www.example.com:8080/a%20b?c=d', '8080x'],
    [{ host: '2001:db8::1', port: 80 }, 'http://[2001:db8::1]/a%20b?c=d', '80x'],
    [{ scheme: '${nosuch}', host: '${nosuch}', port: '${nosuch}' }, 'http://gw.test:8080/a%20b?c=d', '8080x'],
    [{ host: "${request.headers['X-Public'][0]}" }, 'http://public.example:8080/a%20b?c=d', '8080x'],
    [{ port: "${request.headers['X-Public-Port'][0]}" }, 'http://gw.test:9090/a%20b?c=d', '9090x'],
    [{ port: '${9000 + 1}' }, 'http://gw.test:9001/a%20b?c=d', '9001x'],
  ])('%j makes the original URI %s', async (config, expected, expectedPort) => {
    const { status, uri, port } = await original(config, ['X-Public: public.example', 'X-Public-Port: 9090']);
    expect({ status, uri, port }).toEqual({ status: 200, uri: expected, port: expectedPort });
  });

  it('uses the default port of the scheme if the client sent none', async () => {
    const { uri, port } = await original({ scheme: 'https' }, [], 'gw.test');
    expect({ uri, port }).toEqual({ uri: 'https://gw.test/a%20b?c=d', port: '443x' });
  });

  it('does not change the request', async () => {
    const { seen, scheme } = await original({ scheme: 'https', host: 'other.example' });
    expect(seen[0]).toMatchObject({ method: 'GET', url: '/a%20b?c=d' });
    expect(seen[0]!.headers).toContainEqual(['host', 'gw.test:8080']);
    expect(scheme).toBe('http');
  });

  it.each([
    [{ scheme: "${request.headers['X-Bad'][0]}" }],
    [{ host: "${request.headers['X-Bad'][0]}" }],
    [{ port: "${request.headers['X-Bad'][0]}" }],
    [{ port: '${70000}' }],
  ])('answers 500 if %j gives an invalid value', async (config) => {
    const { status, seen, logged } = await original(config, ['X-Bad: a b/c']);
    expect(status).toBe(500);
    expect(seen).toEqual([]);
    expect(JSON.stringify(logged)).toMatch(/the original URI cannot have this (scheme|host|port)/);
  });

  it.each([
    [{}, ["missing : one of 'scheme', 'host' and 'port' is required"]],
    [{ scheme: 'ftp' }, ['value scheme: must be http or https']],
    [{ host: 'a.example:80' }, ['value host: must be a host without a port']],
    [{ host: '' }, ['value host: must be a host without a port']],
    [{ port: 0 }, ['value port: must be a port from 1 to 65535']],
    [{ port: 'https' }, ['value port: must be a port from 1 to 65535']],
    [{ port: true }, ['value port: must be a port from 1 to 65535']],
    [{ scheme: 'https', proto: 'x' }, ["unknown-field proto: there is no field 'proto' here"]],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('ForwardedRequestFilter', config)).toEqual(problems);
  });
});
