import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certifiers, PeerGateway } from '../../support/gateways/peer-gateway.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { NginxPeer } from '../../support/programs/nginx-peer.ts';

/** nginx sends GOAWAY after so many requests of a connection; by default after 1000. */
const PER_CONNECTION = 25;
const CLIENTS = 32;
const REQUESTS = 1000;
const CONTENT = 'x'.repeat(60_000);

const LOCATIONS = `
  location ~ ^/\\w+/upload { rewrite ^ /inner/length break; proxy_pass http://127.0.0.1:$PLAIN; }
  location = /inner/length { default_type text/plain; return 200 "$content_length"; }
`;

const who = certifiers();
let nginx: NginxPeer;
let gateway: PeerGateway;

beforeAll(async () => {
  await installPrograms(['nginx']);
  const certified = who.backends.issue({ names: ['localhost'] });
  nginx = await NginxPeer.start({
    certified,
    locations: LOCATIONS,
    clients: who.clients.certificate,
    more: `keepalive_requests ${PER_CONNECTION};`,
  });
  const http2 = { protocolVersion: 'HTTP/2' };
  const clear = { to: `http://127.0.0.1:${nginx.h2c}`, config: { ...http2, http2PriorKnowledge: true } };
  const tls = { to: `https://localhost:${nginx.tls}`, config: { ...http2, stateTrackingEnabled: false } };
  const whole = { asyncBehavior: 'non_streaming' };
  gateway = await PeerGateway.start(who, {
    routes: {
      h2c: clear,
      tls,
      h2cwhole: { ...clear, config: { ...clear.config, ...whole } },
      tlswhole: { ...tls, config: { ...tls.config, ...whole } },
    },
  });
}, INSTALLATION);

afterAll(async () => {
  await gateway?.stop();
  await nginx?.stop();
});

function post(agent: Agent, leg: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ agent, host: '127.0.0.1', port: gateway.plain, method: 'POST', path: `/${leg}/upload` });
    call.on('response', (response) => {
      text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject);
    });
    call.on('error', reject);
    call.end(CONTENT);
  });
}

it.each(['h2c', 'tls', 'h2cwhole', 'tlswhole'])(
  'loses no upload to nginx when it ends a connection after its requests, by the route %s',
  async (leg) => {
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    const outcomes = await Promise.all(Array.from({ length: REQUESTS }, () => post(agent, leg)));
    agent.destroy();
    expect(outcomes.filter((outcome) => outcome !== `200 ${CONTENT.length}`)).toEqual([]);
  },
);
