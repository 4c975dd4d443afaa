import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { DiscoveredIssuer, type DiscoveryOptions } from '../../../dataplane/openid/discovered-issuer.ts';
import { buildObjects } from '../../support/gateways/built-object.ts';
import { ManualClock } from '../../support/gateways/manual-clock.ts';
import {
  metadata,
  OAUTH_PATH,
  OPENID_PATH,
  type ScriptedAnswer,
  startMetadataServer,
} from '../../support/identity/metadata-server.ts';

const HOUR = 3_600_000;

/** Discovery through a real ClientHandler. */
function discovery(options: Partial<DiscoveryOptions>) {
  const logged: string[] = [];
  const clock = new ManualClock();
  const objects = buildObjects([{ name: 'sender', type: 'ClientHandler' }]);
  const issuer = new DiscoveredIssuer({
    issuer: null,
    wellKnown: null,
    handler: objects.get('handler', 'sender'),
    log: pino({}, { write: (line: string) => logged.push(line) }),
    now: () => clock.steady(),
    ...options,
  });
  return { issuer, clock, logged };
}

describe('the discovery of an issuer', () => {
  it.each([
    ['OpenID discovery', '', OPENID_PATH],
    ['OpenID discovery with a path', '/realms/a', `/realms/a${OPENID_PATH}`],
    ['RFC 8414', '', OAUTH_PATH],
    ['RFC 8414 with a path', '/realms/a', `${OAUTH_PATH}/realms/a`],
    ['RFC 8414 in the way of OpenID', '/realms/a', `${OPENID_PATH}/realms/a`],
  ])('finds metadata by %s', async (_, path, place) => {
    const server = await startMetadataServer({ [place]: metadata({}, path) });
    const { issuer } = discovery({ issuer: `${server.url}${path}` });
    expect((await issuer.metadata()).endpoints).toEqual({ token: `${server.url}/token`, keys: `${server.url}/jwks` });
    expect(server.asked.at(-1)).toBe(place);
  });

  it('fetches once for all who wait, and again after an hour while the cached metadata is used', async () => {
    const server = await startMetadataServer({ [OPENID_PATH]: metadata() });
    const { issuer, clock } = discovery({ issuer: server.url });
    const found = await Promise.all(Array.from({ length: 8 }, () => issuer.metadata()));
    expect(new Set(found).size).toBe(1);
    await clock.pass(HOUR - 1);
    expect(await issuer.metadata()).toBe(found[0]);
    expect(server.asked).toHaveLength(1);
    server.answers.set(OPENID_PATH, metadata({ token_endpoint: `${server.url}/other` }));
    await clock.pass(1);
    expect(await issuer.metadata()).toBe(found[0]);
    await expect.poll(async () => (await issuer.metadata()).endpoints.token).toBe(`${server.url}/other`);
    expect(server.asked).toHaveLength(2);
  });

  it('fetches doubted metadata again, every ten seconds at most', async () => {
    const server = await startMetadataServer({ [OPENID_PATH]: metadata() });
    const { issuer, clock } = discovery({ issuer: server.url });
    await issuer.metadata();
    issuer.invalidate();
    await issuer.metadata();
    expect(server.asked).toHaveLength(1);
    server.answers.set(OPENID_PATH, metadata({ jwks_uri: `${server.url}/moved` }));
    await clock.pass(10_000);
    expect((await issuer.metadata()).endpoints.keys).toBe(`${server.url}/moved`);
    expect(server.asked).toHaveLength(2);
  });

  it('waits longer after each failure and keeps what it had', async () => {
    const server = await startMetadataServer({ [OPENID_PATH]: metadata() });
    const { issuer, clock, logged } = discovery({ issuer: server.url });
    const first = await issuer.metadata();
    server.answers.clear();
    await clock.pass(HOUR);
    await issuer.metadata();
    await expect.poll(() => logged.length).toBe(1);
    expect(logged[0]).toContain('using the cached metadata');
    const asked = server.asked.length;
    expect(await issuer.metadata()).toBe(first);
    await clock.pass(999);
    expect(await issuer.metadata()).toBe(first);
    expect(server.asked).toHaveLength(asked);
    await clock.pass(1);
    expect(await issuer.metadata()).toBe(first);
    await expect.poll(() => logged.length).toBe(2);
    expect(server.asked).toHaveLength(asked * 2 - 1);
  });

  it('does not ask a server that failed before its time', async () => {
    const server = await startMetadataServer();
    const { issuer, clock } = discovery({ issuer: server.url });
    for (let at = 0; at < 3; at++) await expect(issuer.metadata()).rejects.toThrow('publishes no metadata');
    expect(server.asked).toEqual([OPENID_PATH, OAUTH_PATH]);
    server.answers.set(OPENID_PATH, metadata());
    await clock.pass(1000);
    expect((await issuer.metadata()).issuer).toBe(server.url);
  });

  const SECRET = 'a-secret-in-an-error-body';
  const endless: ScriptedAnswer = (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(`{"a":"${SECRET.repeat(1000)}"`));
    };
    response.on('drain', more);
    more();
  };

  it.each<[string, ScriptedAnswer, RegExp]>([
    ['a redirect', (response) => void response.writeHead(302, { Location: '/moved' }).end(), /status 302/],
    ['an error', (response) => void response.writeHead(500).end(SECRET), /status 500/],
    ['a page', (response) => void response.end(`<html>${SECRET}`), /not a JSON object/],
    ['another issuer', metadata({ issuer: `https://${SECRET}.test` }), /not the issuer that was asked for/],
    ['endless metadata', endless, /no answer: /],
    ['an answer that breaks off', (response) => void response.write('{', () => response.destroy()), /no answer: /],
    ['an endpoint of another scheme', metadata({ jwks_uri: `ftp://${SECRET}` }), /'jwks_uri' .* not an https URL/],
  ])('refuses %s and logs nothing of it', async (_, answer, message) => {
    const moved = metadata();
    const server = await startMetadataServer({ [OPENID_PATH]: answer, '/moved': moved });
    const { issuer, logged } = discovery({ issuer: server.url });
    await expect(issuer.metadata()).rejects.toThrow(message);
    expect(server.asked).not.toContain('/moved');
    expect(logged.join('')).toContain('could not fetch the metadata of an issuer');
    expect(logged.join('')).not.toContain(SECRET);
  });

  it('takes metadata at a given location only from the issuer that the location belongs to', async () => {
    const path = `/realms/a${OPENID_PATH}`;
    const server = await startMetadataServer({ [path]: metadata({}, '/realms/a') });
    const wellKnown = `${server.url}${path}`;
    expect((await discovery({ wellKnown }).issuer.metadata()).issuer).toBe(`${server.url}/realms/a`);
    server.answers.set(path, metadata({}, '/realms/b'));
    await expect(discovery({ wellKnown }).issuer.metadata()).rejects.toThrow('not the issuer that was asked for');
    const named = discovery({ wellKnown, issuer: `${server.url}/realms/b` });
    expect((await named.issuer.metadata()).issuer).toBe(`${server.url}/realms/b`);
  });
});
