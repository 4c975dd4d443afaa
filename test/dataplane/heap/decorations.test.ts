import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ask } from '../../support/clients/answers.ts';
import {
  type ConfiguredGateway,
  type ConfiguredOptions,
  checkConfigured,
  startConfigured,
} from '../../support/gateways/configured-gateway.ts';

let gateway: ConfiguredGateway;
afterEach(() => gateway?.close());

/** What is innermost has the last word about the URI, and this answers with it. */
const showUri = { type: 'StaticResponseHandler', config: { status: 200, entity: 'at ${request.uri}' } };
const adder = { type: 'HeaderFilter', config: { messageType: 'REQUEST' } };

async function answerOf(document: JsonObject, options: ConfiguredOptions = {}): Promise<string> {
  gateway = await startConfigured(document, options);
  return (await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: gw.test\r\n')).body;
}

/** The objects around which messages were captured, with the URI they came with, in order. */
function captures(): string[] {
  return gateway.logged
    .filter(({ logger }) => logger !== undefined)
    .map(({ logger, msg }) => `${String(logger).split('.').slice(2).join('.')} ${/GET (\S+)/.exec(String(msg))?.[1]}`);
}

describe('decorations beside an object', () => {
  it('are put around it in the order written, the first innermost', async () => {
    await answerOf({ handler: { ...showUri, name: 'end', baseURI: 'http://new', capture: 'request' } });
    expect(captures()).toEqual(['end http://gw.test/']);
    await gateway.close();
    await answerOf({ handler: { ...showUri, name: 'end', capture: 'request', baseURI: 'http://new' } });
    expect(captures()).toEqual(['end http://new/']);
  });

  it('may use decorators with other names, declared in the heap', async () => {
    const heap = [{ name: 'elsewhere', type: 'BaseUriDecorator' }];
    expect(await answerOf({ heap, handler: { ...showUri, elsewhere: 'http://there' } })).toBe('at http://there/');
  });

  it('of an object in the heap apply to all references to it', async () => {
    const heap = [{ ...showUri, name: 'end', baseURI: 'http://there' }];
    const chain = { type: 'Chain', config: { filters: [], handler: 'end' } };
    expect(await answerOf({ heap, handler: chain })).toBe('at http://there/');
  });
});

describe('global decorations', () => {
  const routes = (route: JsonObject): ConfiguredOptions => ({ routes: { route } });
  const router = { heap: [{ name: '_router', type: 'Router' }] };

  it('enclose the decorations beside an object', async () => {
    const globalDecorators = { baseURI: 'http://everywhere' };
    const own = { handler: { ...showUri, baseURI: 'http://own' }, globalDecorators };
    expect(await answerOf(own)).toBe('at http://own/');
    await gateway.close();
    expect(await answerOf({ handler: showUri, globalDecorators })).toBe('at http://everywhere/');
  });

  it('reach filters and handlers, and nothing else', async () => {
    const chain = { type: 'Chain', name: 'all', config: { filters: [{ ...adder, name: 'f' }], handler: 'end' } };
    const heap = [
      { ...showUri, name: 'end' },
      { name: 'time', type: 'Clock' },
      { name: 'other', type: 'TimerDecorator' },
    ];
    await answerOf({ heap, handler: chain, globalDecorators: { capture: 'request' } });
    expect(captures()).toEqual(['all http://gw.test/', 'f http://gw.test/', 'end http://gw.test/']);
  });

  it('of enclosing documents are applied first, so that those of the route are outermost', async () => {
    const base = { ...router, globalDecorators: { baseURI: 'http://outer' } };
    const route = {
      handler: { ...showUri, name: 'end' },
      globalDecorators: { baseURI: 'http://route', capture: 'request' },
    };
    expect(await answerOf(base, routes(route))).toBe('at http://outer/');
    expect(captures()).toEqual(['end http://outer/']);
  });

  it('of a route also apply to objects of enclosing documents that it refers to', async () => {
    const base = { heap: [...router.heap, { ...showUri, name: 'shared' }] };
    const options = {
      routes: {
        a: { condition: '${request.uri.path == "/a"}', handler: 'shared', globalDecorators: { baseURI: 'http://a' } },
        b: { handler: 'shared' },
      },
    };
    expect(await answerOf(base, options)).toBe('at http://gw.test/');
    expect((await ask(gateway.port, 'GET /a HTTP/1.1\r\nHost: gw.test\r\n')).body).toBe('at http://a/a');
  });
});

describe('top-level keys', () => {
  it('decorate the main handler and nothing else, around everything else', async () => {
    const chain = { type: 'Chain', config: { filters: [adder], handler: { ...showUri, name: 'end' } } };
    const document = { handler: chain, globalDecorators: { baseURI: 'http://everywhere' }, capture: 'request' };
    expect(await answerOf(document)).toBe('at http://everywhere/');
    expect(captures()).toEqual(['top-level-handler http://gw.test/']);
  });

  it('do not change a handler for other references to it', async () => {
    const base = {
      heap: [
        { name: '_router', type: 'Router' },
        { ...showUri, name: 'shared' },
      ],
    };
    const options = {
      routes: {
        a: { condition: '${request.uri.path == "/a"}', handler: 'shared', baseURI: 'http://a' },
        b: { handler: 'shared' },
      },
    };
    expect(await answerOf(base, options)).toBe('at http://gw.test/');
    expect((await ask(gateway.port, 'GET /a HTTP/1.1\r\nHost: gw.test\r\n')).body).toBe('at http://a/a');
  });
});

describe('a decoration', () => {
  it.each<[string, JsonObject, object[]]>([
    [
      'of something that cannot be decorated is refused',
      { handler: showUri, heap: [{ name: 'time', type: 'Clock', capture: 'all' }] },
      [{ code: 'decoration', severity: 'error', path: ['heap', 0, 'capture'] }],
    ],
    [
      'of a decorator is refused',
      { handler: showUri, heap: [{ name: 'x', type: 'TimerDecorator', timer: true }] },
      [{ code: 'decoration', severity: 'error', path: ['heap', 0, 'timer'] }],
    ],
    [
      'by an unknown decorator has no effect',
      { handler: { ...showUri, captur: 'all' } },
      [{ code: 'decoration', severity: 'warning', path: ['handler', 'captur'], hint: "did you mean 'capture'?" }],
    ],
    [
      'by an unknown decorator at the top has no effect',
      { handler: showUri, timr: true },
      [{ code: 'decoration', severity: 'warning', path: ['timr'], hint: "did you mean 'timer'?" }],
    ],
    [
      'by an unknown decorator for everything has no effect',
      { handler: showUri, globalDecorators: { unheard: true } },
      [{ code: 'decoration', severity: 'warning', path: ['globalDecorators', 'unheard'] }],
    ],
    [
      'by an object that is no decorator has no effect',
      { handler: { ...showUri, time: 1 }, heap: [{ name: 'time', type: 'Clock' }] },
      [{ code: 'decoration', severity: 'warning', path: ['handler', 'time'] }],
    ],
    ['may be a remark', { handler: { ...showUri, comment: 'x', 'x-y': 1, 'a.b': 2, _id: 3 } }, []],
    [
      'for everything must be in an object',
      { handler: showUri, globalDecorators: ['capture'] },
      [{ code: 'value', severity: 'error', path: ['globalDecorators'] }],
    ],
    [
      'with a bad value is refused for everything',
      { handler: showUri, globalDecorators: { timer: 'x' } },
      [{ code: 'value', severity: 'error', path: ['globalDecorators', 'timer'] }],
    ],
  ])('%s', (_, document, problems) => {
    expect(checkConfigured(document)).toMatchObject(problems);
    expect(checkConfigured(document)).toHaveLength(problems.length);
  });
});
