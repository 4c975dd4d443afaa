import { describe, expect, it, vi } from 'vitest';
import { startAuthorizationServer } from '../../support/identity/authorization-server.ts';
import { methods, SIGNER, startIntrospecting, untilKept } from '../../support/identity/introspecting-instance.ts';

const patience = { timeout: 20_000, interval: 50 };

describe('token introspection at a real authorization server', () => {
  it.each(methods)('proves itself by a %s', async (_, authenticating) => {
    const server = await startAuthorizationServer({ clients: [SIGNER] });
    const gateway = await startIntrospecting(server, authenticating);
    const [token, other] = [await server.token(), await server.token()];
    expect(await gateway.ask('/each/1', token)).toMatchObject({ status: 200, body: 'answer to /each/1' });
    expect(await gateway.status('/brief/1', token)).toBe(200);
    await untilKept(gateway, server, token);
    for (const path of ['/each/1', '/kept/1', '/brief/1']) {
      expect(await gateway.status(path, await server.token({ scope: 'write' }))).toBe(403);
      expect(await gateway.status(path, 'a-token-of-nobody')).toBe(401);
      expect(await gateway.status(path, null)).toBe(401);
    }

    await server.revoke(token);
    const refused = await gateway.ask('/each/1', token);
    expect([refused.status, refused.body]).toEqual([401, '']);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    await vi.waitFor(async () => expect(await gateway.status('/brief/1', token)).toBe(401), patience);
    for (let i = 0; i < 8; i++) expect(await gateway.status('/kept/1', token)).toBe(200);

    server.expire(other);
    for (const path of ['/each/1', '/kept/1', '/brief/1']) expect(await gateway.status(path, other)).toBe(401);
    expect(JSON.stringify(gateway.process.said)).toContain('token_type_hint=');
    expect(await gateway.leaks()).toEqual([]);
  });
});
