import { describe, it } from 'vitest';
import { startAccessManager } from '../../support/access-manager/access-manager.ts';
import { AGENT, DEMO } from '../../support/access-manager/am-identities.ts';
import { authLevel } from '../../support/access-manager/am-policies.ts';
import { wireCases } from '../../support/access-manager/wire-cases.ts';
import type { WireTarget } from '../../support/access-manager/wire-target.ts';

async function double(): Promise<WireTarget> {
  const am = await startAccessManager();
  return {
    url: am.url,
    agent: AGENT,
    user: DEMO,
    async setPolicy({ name, resource, actions, attributes = {}, authLevel: level }) {
      const condition = level === undefined ? {} : { condition: authLevel(level) };
      am.policies.set({ name, resources: [resource], actions, attributes, ...condition });
    },
    async deletePolicy(name) {
      am.policies.delete(name);
    },
  };
}

describe('the double of an access manager', () => {
  for (const { title, run } of wireCases) it(`${title}`, async () => run(await double()));
});
