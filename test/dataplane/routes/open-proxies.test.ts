import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { tenantReach } from '../../../contract/reach.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { checkDefaultObjects } from '../../../dataplane/heap/default-objects.ts';
import { loadAllParts } from '../../../dataplane/heap/named-parts.ts';
import { checkBase, checkRoute } from '../../../dataplane/routes/check-document.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { startRecordingBackend } from '../../support/backends/recording-backend.ts';
import { refusalOf } from '../../support/clients/answers.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { startTenants, TENANT } from '../../support/gateways/tenant-gateway.ts';

beforeAll(() => loadAllParts(catalogue));

interface Written {
  readonly base?: JsonObject;
  readonly isTenant?: boolean;
}

/** Errors of a route, as `path: message`, below a router of a `config.json` that is sound. */
function errorsOf(route: JsonObject, written: Written = {}): string[] {
  return problemsOf(route, written).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const hintsOf = (route: JsonObject, written: Written): (string | undefined)[] =>
  problemsOf(route, written).map(({ hint }) => hint);

function problemsOf(route: JsonObject, { base = {}, isTenant = false }: Written): Problem[] {
  const report = (): void => {};
  const operator = { catalogue, reading: documentReading(operatorReach(), [base], report), report };
  const above = checkBase(base, checkDefaultObjects(operator), operator);
  expect(above.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  const reach = isTenant ? tenantReach() : operatorReach();
  const tenant = isTenant ? { tenant: { sharedObjects: new Set<string>() } } : {};
  const options = { catalogue, reading: documentReading(reach, [route], report), report, ...tenant };
  const router = 'gateway._router';
  const { problems } = checkRoute(route, `${router}.it`, above.document!.scope, { ...options, router });
  return problems.filter(({ severity }) => severity === 'error');
}

const open = (path: string, type = 'ReverseProxyHandler'): string =>
  `${path}: no baseURI covers this ${type}: requests would go to whatever host the client names`;

const chain = (filters: JsonValue[], handler: JsonValue = 'ReverseProxyHandler'): JsonObject => ({
  type: 'Chain',
  config: { filters, handler },
});
const assign = (target: string): JsonObject => ({
  type: 'AssignmentFilter',
  config: { onRequest: [{ target, value: 'app.example.com' }] },
});
const header: JsonObject = { type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['X-User'] } };
const fixed: JsonObject = { type: 'StaticRequestFilter', config: { method: 'GET', uri: 'http://app.example.com/' } };

describe.each([
  { who: 'an operator', isTenant: false },
  { who: 'a tenant', isTenant: true },
])('a route of $who that would be a forward proxy is refused', ({ isTenant }) => {
  it.each<[string, JsonObject, string]>([
    ['without a baseURI', { handler: 'ReverseProxyHandler' }, open('handler')],
    ['with a ClientHandler', { handler: 'ClientHandler' }, open('handler', 'ClientHandler')],
    ['with a handler of its own', { handler: { type: 'ReverseProxyHandler' } }, open('handler')],
    ['behind filters', { handler: chain([header]) }, open('handler.config.handler')],
    [
      'behind a filter that sets another part',
      { handler: chain([assign('${request.uri.path}')]) },
      open('handler.config.handler'),
    ],
    [
      'with a handler of the heap',
      { heap: [{ name: 'app', type: 'ReverseProxyHandler' }], handler: chain([], 'app') },
      open('handler.config.handler'),
    ],
    [
      'in one binding of several',
      {
        handler: {
          type: 'DispatchHandler',
          config: {
            bindings: [
              { condition: '${true}', handler: 'ReverseProxyHandler', baseURI: 'http://app.example.com' },
              { handler: 'ReverseProxyHandler' },
            ],
          },
        },
      },
      open('handler.config.bindings.1.handler'),
    ],
    [
      'by what answers when a filter refuses',
      {
        handler: chain(
          [
            {
              type: 'ConditionEnforcementFilter',
              config: { condition: '${false}', failureHandler: 'ReverseProxyHandler' },
            },
          ],
          { type: 'WelcomeHandler' },
        ),
      },
      open('handler.config.filters.0.config.failureHandler'),
    ],
    [
      'with a baseURI on another object',
      {
        heap: [{ name: 'other', type: 'ReverseProxyHandler', baseURI: 'http://app.example.com' }],
        handler: 'ReverseProxyHandler',
      },
      open('handler'),
    ],
  ])('%s', (_, route, problem) => {
    expect(errorsOf(route, { isTenant })).toEqual([problem]);
  });

  it.each([
    ['that only makes a request of its own', "http.send(new Request().setMethod('GET').setUri('http://a.test/'))"],
    ['that sets the host for some requests', "if (request.method == 'GET') { request.uri.host = 'a.test' }"],
    ['that sets the host that the client names', "request.uri.host = request.headers['X-Host'].firstValue"],
  ])('behind a script %s', (_, text) => {
    const source = `${text}\nnext.handle(context, request)`;
    const script = { type: 'ScriptableFilter', config: { type: 'application/x-groovy', source } };
    const route = { handler: chain([script]) };
    expect(errorsOf(route, { isTenant })).toEqual([open('handler.config.handler')]);
    expect(hintsOf(route, { isTenant })[0]).toMatch(
      /^set a baseURI on the route: it counts for requests whose host the ScriptableFilter before it does not set/,
    );
    expect(errorsOf({ ...route, baseURI: 'http://app.example.com' }, { isTenant })).toEqual([]);
  });

  it('with a misspelt baseURI, which the message names', () => {
    expect(errorsOf({ baseUri: 'http://app.example.com', handler: 'ReverseProxyHandler' }, { isTenant })).toEqual([
      "baseUri: there is no decorator 'baseUri'",
    ]);
  });

  it('by an object of config.json', () => {
    const base = { heap: [{ name: 'app', ...chain([header]) }] };
    expect(errorsOf({ handler: 'app' }, { base, isTenant })).toEqual([open('handler')]);
  });
});

describe('a route is valid', () => {
  it.each<[string, JsonObject]>([
    ['with a baseURI', { baseURI: 'http://app.example.com', handler: 'ReverseProxyHandler' }],
    ['with a baseURI on the handler', { handler: { type: 'ReverseProxyHandler', baseURI: 'http://app.example.com' } }],
    ['with a baseURI on what is around it', { handler: { ...chain([header]), baseURI: 'http://app.example.com' } }],
    ['with a baseURI on a filter before it', { handler: chain([{ ...header, baseURI: 'http://app.example.com' }]) }],
    [
      'with a baseURI for all of its objects',
      {
        globalDecorators: { baseURI: 'http://app.example.com' },
        handler: 'ReverseProxyHandler',
      },
    ],
    ['behind a filter that sets the host', { handler: chain([assign('${request.uri.host}')]) }],
    ['behind a filter that sets the URI', { handler: chain([assign("${request['uri']}")]) }],
    ['behind a filter that replaces the request', { handler: chain([fixed]) }],
    [
      'behind such a filter among several',
      {
        handler: chain([{ type: 'ChainOfFilters', config: { filters: [header, fixed] } }]),
      },
    ],
    [
      'after a handler that replaced the request',
      {
        handler: {
          type: 'SequenceHandler',
          config: { bindings: [{ handler: chain([fixed], 'ClientHandler') }, { handler: 'ReverseProxyHandler' }] },
        },
      },
    ],
    ['that sends nothing on', { handler: { type: 'StaticResponseHandler', config: { status: 204 } } }],
    [
      'that does not use what would',
      {
        heap: [{ name: 'unused', type: 'ReverseProxyHandler' }],
        handler: { type: 'WelcomeHandler' },
      },
    ],
    [
      'whose handler is for calls of the gateway',
      {
        baseURI: 'http://app.example.com',
        handler: chain([
          {
            type: 'OAuth2ResourceServerFilter',
            config: {
              scopes: ['read'],
              accessTokenResolver: {
                type: 'TokenIntrospectionAccessTokenResolver',
                config: { endpoint: 'https://id.example.com/introspect', providerHandler: 'ClientHandler' },
              },
            },
          },
        ]),
      },
    ],
    [
      'whose filter asks for tokens',
      {
        handler: chain(
          [
            {
              type: 'ClientCredentialsOAuth2ClientFilter',
              config: {
                tokenEndpoint: 'https://id.example.com/token',
                scopes: ['a'],
                endpointHandler: 'ClientHandler',
              },
            },
          ],
          { type: 'WelcomeHandler' },
        ),
      },
    ],
  ])('%s', (_, route) => {
    expect([errorsOf(route), errorsOf(route, { isTenant: true })]).toEqual([[], []]);
  });

  it('below a router that a baseURI covers', () => {
    const router = { name: '_router', type: 'Router', baseURI: 'http://app.example.com' };
    const around = {
      handler: { ...chain([], '_router'), baseURI: 'http://app.example.com' },
      heap: [{ name: '_router', type: 'Router' }],
    };
    for (const base of [{ handler: router }, { heap: [router] }, around, { baseURI: 'http://app.example.com' }]) {
      expect(errorsOf({ handler: 'ReverseProxyHandler' }, { base })).toEqual([]);
      expect(errorsOf({ handler: 'ReverseProxyHandler' }, { base, isTenant: true })).toEqual([]);
    }
  });

  it('of an operator with forwardProxy', () => {
    const handler = { type: 'ReverseProxyHandler', config: { forwardProxy: true } };
    expect(errorsOf({ handler })).toEqual([]);
    expect(errorsOf({ handler }, { isTenant: true })).toEqual([
      'handler.config.forwardProxy: is for operators only: it lets clients choose where requests go',
    ]);
    const base = { heap: [{ name: 'proxy', ...handler }] };
    expect(errorsOf({ handler: 'proxy' }, { base })).toEqual([]);
    expect(errorsOf({ handler: 'proxy' }, { base, isTenant: true })).toEqual([open('handler')]);
  });
});

it('a request of a tenant without a baseURI at run time is rejected', async () => {
  const backend = await startRecordingBackend();
  const { port } = backend.destination;
  const condition = "${request.uri.path == '/covered'}";
  const delegate = { type: 'StaticRequestFilter', config: { method: 'GET', uri: `http://127.0.0.1:${port}/` } };
  const document = { handler: chain([{ type: 'ConditionalFilter', config: { condition, delegate } }]) };
  const trust = { egress: ['127.0.0.1'] };
  const gateway = await startTenants({ shop: { tenant: TENANT, document } }, { trust });
  const host = `127.0.0.1:${port}`;
  expect((await gateway.get('/covered', host)).status).toBe(200);
  expect(refusalOf(await gateway.get('/open', host))).toBe('backend-egress');
  await backend.close();
});
