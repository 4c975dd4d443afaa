import { expect, it, onTestFinished } from 'vitest';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';

async function managed(): Promise<ManagedGateway> {
  const gateway = await manageInstance({
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
    'config/routes/a.json': { handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
    'config/routes/broken.json': '{ broken',
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

it.each([
  ['/api', '/nosuch'],
  ['/api', '/nosuch/a?_queryFilter=true'],
  ['/api', '/system/nosuch'],
  ['/api', '/system/objects/nosuch/routes/a'],
  ['/api', '/system/objects/_router/nosuch'],
  ['/api', '/routes//a'],
  ['/openig/api', '/nosuch'],
])(
  'answers for a path below %s that leads nowhere (%s) with an error that names the description',
  async (root, rest) => {
    const gateway = await managed();
    const { status, body } = await gateway.send(`GET ${root}${rest}`);
    expect(status).toBe(404);
    expect(body).toEqual({
      code: 404,
      reason: 'Not Found',
      message: `there is no resource '${root}${rest.replace(/\?.*/, '')}'; '${root}?_api' describes all of them`,
    });
    expect((await gateway.send(`GET ${root}?_api`)).status).toBe(200);
  },
);

it.each(['add', 'replace'])('refuses a patch that would %s another id', async (operation) => {
  const gateway = await managed();
  const { status, body } = await gateway.send('PATCH /api/routes/a', [{ operation, field: '/_id', value: 'b' }]);
  expect({ status, message: body['message'] }).toEqual({ status: 400, message: "'_id' must be 'a', as in the path" });
  const same = await gateway.send('PATCH /api/routes/a', [{ operation, field: '/_id', value: 'a' }]);
  expect(same).toMatchObject({ status: 200, body: { _id: 'a' } });
});

it.each(['GET', 'DELETE'])(
  'answers %s for a route whose file is not JSON with the name of the file',
  async (method) => {
    const gateway = await managed();
    const { status, body } = await gateway.send(`${method} /api/routes/broken`);
    expect({ status, message: body['message'] }).toEqual({
      status: 404,
      message: "the file 'broken.json' cannot be read as a route with this id: correct the file",
    });
    expect((await gateway.send('GET /api/routes/none')).body['message']).toBe("there is no route 'none'");
  },
);
