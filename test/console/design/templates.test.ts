import { describe, expect, it } from 'vitest';
import { TEMPLATES } from '../../../console/pages/design/templates.ts';
import { manageInstance } from '../../support/crest/managed-gateway.ts';

describe('the templates', () => {
  it('have ids, titles and descriptions of their own', () => {
    for (const field of ['id', 'title', 'description'] as const) {
      expect(new Set(TEMPLATES.map((template) => template[field])).size).toBe(TEMPLATES.length);
    }
  });

  it('pass the checker without a warning, and can be built', async () => {
    const gateway = await manageInstance({
      'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
      'config/routes/.keep': '',
    });
    try {
      for (const { id, document } of TEMPLATES) {
        const { body } = await gateway.send('POST /api/routes?_action=validate', { _id: id, ...document });
        expect({ id, ...body }).toEqual({ id, valid: true, problems: [] });
        expect((await gateway.send(`PUT /api/routes/${id}`, document)).status).toBe(201);
      }
    } finally {
      await gateway.close();
    }
  });
});
