import { AccessManager } from '../../test/support/access-manager/access-manager.ts';
import { authLevel } from '../../test/support/access-manager/am-policies.ts';

/** Names URLs of the gateway, whatever its port. */
const resources = ['http://127.0.0.1:*/*'];

/** Users, agent and policies of this page. */
function start(port: number): Promise<AccessManager> {
  return AccessManager.start({
    port,
    users: { ada: { password: 'lovelace' } },
    agents: { gateway: 'a-password-for-this-page' },
    policies: [
      { name: 'orders', resources, actions: { GET: true, POST: false } },
      { name: 'salaries', policySet: 'payroll', resources, actions: { GET: true }, condition: authLevel(5) },
    ],
  });
}

/** Stands for the console of the access manager: `PUT /policies/orders?POST=true`, `DELETE /sessions`. */
function serveConsole(am: AccessManager): void {
  am.answer('PUT /policies/orders', async ({ query }) => {
    const actions = { GET: query.get('GET') !== 'false', POST: query.get('POST') === 'true' };
    am.policies.set({ name: 'orders', resources, actions });
    await am.notifications.untilRead();
    return { status: 200, body: `${JSON.stringify(actions)}\n` };
  });
  am.answer('DELETE /sessions', async () => {
    const ended = am.sessions.all.filter(({ kind }) => kind === 'user');
    for (const { tokenId } of ended) am.sessions.end(tokenId);
    await am.notifications.untilRead();
    return { status: 200, body: `${ended.length} ended\n` };
  });
}

if (import.meta.main) {
  serveConsole(await start(Number(process.argv[2])));
  process.stdout.write('The access manager listens. Ctrl-C stops it.\n');
}
