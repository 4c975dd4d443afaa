import { beforeAll, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { loadAllParts } from '../../../dataplane/heap/named-parts.ts';
import { type FilteredGateway, problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';

beforeAll(() => loadAllParts(catalogue));

const inner: JsonObject = {
  name: 'inner',
  type: 'StaticResponseHandler',
  config: { status: 202, headers: { 'X-Path': ['${request.uri.path}'] }, entity: 'inner' },
};

const audit: JsonObject = {
  name: 'records',
  type: 'AuditService',
  config: {
    config: {
      topics: {
        consents: { schema: { type: 'object', properties: { user: { type: 'string' } }, additionalProperties: false } },
      },
    },
    eventHandlers: [
      {
        class: 'SyslogAuditEventHandler',
        config: {
          ...{ name: 'syslog', topics: ['consents'], protocol: 'UDP', host: '127.0.0.1', port: 514 },
          facility: 'LOCAL0',
        },
      },
    ],
  },
};

const answering = (source: JsonValue, args: JsonObject, type = 'application/x-groovy'): Promise<FilteredGateway> =>
  startFiltered(
    [],
    { type: 'ScriptableHandler', config: { type, source, args } },
    { document: { heap: [inner, audit] } },
  );

const answeringInJs = (source: JsonValue, args: JsonObject): Promise<FilteredGateway> =>
  answering(source, args, 'application/javascript');

it.each(["${heap['inner']}", '${heap["inner"]}', '${heap.inner}', " ${ heap[ 'inner' ] } "])(
  'calls a handler of the heap that %s passes',
  async (service) => {
    const source = "service.handle(context, new Request().setMethod('GET').setUri('http://x.test/p'))";
    const { ask } = await answering(source, { service });
    const answer = await ask('/');
    expect(answer).toMatchObject({ status: 202, body: 'inner' });
    expect(answer.values('x-path')).toEqual(['/p']);
  },
);

it('reads a clock of the heap', async () => {
  const source = "def r = new Response(Status.OK); r.entity = clock.millis() + ' ' + clock.instant().epochSecond; r";
  const { ask } = await answering(source, { clock: "${heap['Clock']}" });
  const [milliseconds, seconds] = (await ask('/')).body.split(' ').map(Number);
  expect(Math.abs(Date.now() - milliseconds!)).toBeLessThan(60_000);
  expect(Math.abs(Date.now() / 1000 - seconds!)).toBeLessThan(60);
});

const PUBLISH = [
  'import static org.forgerock.json.JsonValue.*',
  'import static org.forgerock.json.resource.Requests.newCreateRequest',
  'import static org.forgerock.json.resource.ResourcePath.resourcePath',
  "def event = json(object(field('eventName', 'CONSENT'), field('user', user)))",
  "auditService.handleCreate(context, newCreateRequest(resourcePath('/consents'), event))",
  '  .then({ new Response(Status.OK) }, { e -> def r = new Response(Status.BAD_REQUEST); r.entity = e.message; r })',
];

it('publishes an event of a custom topic with an audit service of the heap', async () => {
  const { ask, audited } = await answering(PUBLISH, { auditService: "${heap['records']}", user: 'ada' });
  expect((await ask('/')).status).toBe(200);
  expect(await audited.event(0)).toMatchObject({ eventName: 'CONSENT', user: 'ada' });
  expect(audited.json[0]!.topic).toBe('consents');
});

it('gives the script an exception for an event that the schema rejects', async () => {
  const { ask, audited } = await answering(PUBLISH, { auditService: "${heap['records']}", user: 5 });
  const { status, body } = await ask('/');
  expect([status, body]).toEqual([400, expect.stringContaining('user')]);
  expect(audited.json).toEqual([]);
});

it('names an object that does not exist, and heap at other places', () => {
  const config = (args: JsonObject): JsonObject => ({ type: 'application/x-groovy', source: 'null', args });
  expect(problemsOf('ScriptableFilter', config({ a: "${heap['nobody']}" }))).toEqual([
    expect.stringMatching(/^reference args\.a: there is no object 'nobody'/),
  ]);
  expect(problemsOf('ScriptableFilter', config({ a: { b: "${heap['Clock']}" } }))).toEqual([
    expect.stringMatching(/'heap' is known only in 'args' of scripts/),
  ]);
});

it.each(['application/x-groovy', 'application/javascript'])(
  'rejects an object that no script in %s can use',
  (type) => {
    const config = { type, source: 'null', args: { a: "${heap['TransactionIdOutboundFilter']}" } };
    expect(problemsOf('ScriptableFilter', config)).toEqual([
      expect.stringMatching(
        /^kind args\.a: must be a Handler or a Clock or an AuditService, but 'TransactionIdOutboundFilter' is /,
      ),
    ]);
  },
);

it('calls a handler of the heap in JavaScript', async () => {
  const source = "return service.send('http://x.test/p', { method: 'POST', body: 'content' })";
  const { ask } = await answeringInJs(source, { service: "${heap['inner']}" });
  const answer = await ask('/');
  expect(answer).toMatchObject({ status: 202, body: 'inner' });
  expect(answer.values('x-path')).toEqual(['/p']);
});

it('calls two handlers and http in JavaScript, each for itself', async () => {
  const source = [
    "const answers = await Promise.all([service, other, http].map((to) => to.send('http://app.test/?entity=backend')))",
    "return new Response(200, { body: (await Promise.all(answers.map((r) => r.entity.text()))).join(' ') })",
  ];
  const { ask } = await answeringInJs(source, {
    other: "${heap['ClientHandler']}",
    service: "${heap['inner']}",
    word: 'plain',
  });
  expect(await ask('/')).toMatchObject({ status: 200, body: 'inner backend backend' });
});

it('reads a clock of the heap in JavaScript', async () => {
  const source = 'return new Response(200, { body: `${clock.millis()} ${clock.instant() instanceof Date}` })';
  const { ask } = await answeringInJs(source, { clock: "${heap['Clock']}" });
  const [milliseconds, isDate] = (await ask('/')).body.split(' ');
  expect(Math.abs(Date.now() - Number(milliseconds))).toBeLessThan(60_000);
  expect(isDate).toBe('true');
});

const PUBLISH_IN_JS = [
  "try { await auditService.publish('consents', { eventName: 'CONSENT', user }) }",
  'catch (e) { return new Response(400, { body: e.message }) }',
  'return new Response(200)',
];

it('publishes an event with an audit service of the heap in JavaScript', async () => {
  const { ask, audited } = await answeringInJs(PUBLISH_IN_JS, { auditService: "${heap['records']}", user: 'ada' });
  expect((await ask('/')).status).toBe(200);
  expect(await audited.event(0)).toMatchObject({ eventName: 'CONSENT', user: 'ada' });
});

it('gives a script in JavaScript an exception for an event that the schema rejects', async () => {
  const { ask, audited } = await answeringInJs(PUBLISH_IN_JS, { auditService: "${heap['records']}", user: 5 });
  const { status, body } = await ask('/');
  expect([status, body]).toEqual([400, expect.stringContaining('user')]);
  expect(audited.json).toEqual([]);
});

it.each([
  ['ScriptableFilter', 'request'],
  ['ScriptableFilter', 'next'],
  ['ScriptableHandler', 'session'],
  ['ScriptableThrottlingPolicy', 'request'],
  ['ScriptableAccessTokenResolver', 'token'],
  ['ScriptableResourceAccess', 'contexts'],
  ['ScriptableResourceUriProvider', 'http'],
])('rejects an argument of a %s with the name %s', (type, name) => {
  for (const language of ['application/x-groovy', 'application/javascript'])
    expect(refusals({ type, config: { type: language, source: 'null', args: { [name]: 1, other: 2 } } })).toEqual([
      expect.stringContaining(`config.args.${name}: has the name of a variable of the gateway`),
    ]);
});

it.each([
  ['application/x-groovy', ['builder', 'isEqualTo', 'claim']],
  ['application/javascript', ['claims']],
])('rejects arguments of a JWT customizer in %s with names of its variables', (language, names) => {
  const args = Object.fromEntries([...names, 'other'].map((name) => [name, 1]));
  const config = { type: language, source: 'null', args };
  expect(refusals({ type: 'ScriptableJwtValidatorCustomizer', config })).toHaveLength(names.length);
});

it.each([
  ['ScriptableHandler', 'next'],
  ['ScriptableAccessTokenResolver', 'request'],
  ['ScriptableFilter', 'token'],
])('accepts an argument of a %s with the name %s, which it leaves free', (type, name) => {
  for (const language of ['application/x-groovy', 'application/javascript'])
    expect(refusals({ type, config: { type: language, source: 'null', args: { [name]: 1 } } })).toEqual([]);
});

it('rejects an argument that cannot be a variable in JavaScript', () => {
  const args = { 'a-b': 1, class: 2, fine: 3 };
  const config = { type: 'application/javascript', source: 'return next()', args };
  expect(refusals({ type: 'ScriptableFilter', config })).toEqual([
    expect.stringContaining('has a name that no variable in JavaScript can have'),
    expect.stringContaining('has a name that no variable in JavaScript can have'),
  ]);
});
