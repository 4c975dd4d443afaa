import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textAnswer } from '../../../platform/admin/admin-answer.ts';
import { closedGuard } from '../../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../../platform/admin/admin-server.ts';
import { AdminTable } from '../../../platform/admin/admin-table.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';

const authority = certificateAuthority('admin');

/** An admin server that refuses every body before it reads it, with a long answer. */
async function refusing(isSecure: boolean): Promise<{ readonly url: string; readonly agent: Agent }> {
  const { key, chain: cert } = authority.issue({ names: ['127.0.0.1'] });
  const table = new AdminTable([
    {
      ...{ method: 'PUT', path: '/refused', guard: closedGuard('x'.repeat(50_000)), longestBody: 1000 },
      answer: () => textAnswer(200, 'never'),
    },
  ]);
  const certificate = isSecure ? { key, cert } : null;
  const server = new AdminServer({ table: () => table, guard: closedGuard(''), certificate, failed: () => undefined });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ connect: { ca: authority.certificate } });
  onTestFinished(async () => {
    await agent.close();
    server.close();
  });
  return { url: `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}/refused`, agent };
}

describe.each([
  ['with', true],
  ['without', false],
])('an admin server %s TLS', (_, isSecure) => {
  it.each([10, 100_000, 2_000_000])('delivers its whole answer to a refused body of %i bytes', async (bytes) => {
    const { url, agent } = await refusing(isSecure);
    for (let round = 0; round < 20; round++) {
      const answer = await request(url, { method: 'PUT', body: 'b'.repeat(bytes), dispatcher: agent });
      expect(answer.statusCode).toBe(403);
      expect((await answer.body.text()).length).toBeGreaterThan(50_000);
    }
  });
});
