import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { pathText } from '../../../contract/problem.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';

const proxy = 'ReverseProxyHandler';

function said(document: JsonObject): string[] {
  return checkConfigured(document).map(({ code, severity, path, message, hint }) => {
    const kind = severity === 'warning' ? 'warning ' : '';
    return `${kind}${code} ${pathText(path)}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
  });
}

describe('a reference that leads nowhere', () => {
  it.each([
    ['HeaderFilter', 'HeaderFilter is a type: write { "type": "HeaderFilter", … } for an object of it'],
    ['HeaderFilte', undefined],
  ])('to %s', (name, hint) => {
    const problems = checkConfigured({
      handler: { type: 'Chain', config: { filters: [name], handler: 'ReverseProxyHandler' } },
    });
    expect(problems.map((problem) => [problem.code, problem.hint])).toEqual([['reference', hint]]);
  });
});

describe('all problems of a document are found at once', () => {
  it('also those of objects inside of an invalid one', () => {
    const inner = { type: 'StaticResponseHandler', config: { status: 'ok' } };
    expect(said({ handler: { type: 'Chain', config: { filters: [5, 'Nothing'], handler: inner } } })).toEqual([
      "value handler.config.filters[0]: must be the name of a Filter or an object with 'type', not a number",
      "reference handler.config.filters[1]: there is no object 'Nothing' in this heap or in those around it",
      "value handler.config.handler.config.status: must be a whole number, not 'ok'",
    ]);
  });

  it('and one mistake is one problem', () => {
    expect(said({ heap: {}, handler: 'Mine' })).toEqual(['value heap: must be an array of objects, not an object']);
    expect(said({ heap: [{ name: 'Mine' }], handler: 'Mine' })).toEqual([
      'missing heap[0].type: must name the type of the object',
    ]);
    expect(said({ heap: ['Mine'], handler: 'Mine' })).toEqual([
      "value heap[0]: must be an object with 'type', not a string",
    ]);
    expect(said({ hander: proxy })).toEqual([
      "unknown-field hander: there is no field 'hander' here (did you mean 'handler'?)",
    ]);
    expect(said({ handler: { type: 'StaticResponseHandler', config: { sttaus: 200 } } })).toEqual([
      "unknown-field handler.config.sttaus: there is no field 'sttaus' here (did you mean 'status'?)",
    ]);
  });
});

describe('keys beside those of a document or an object', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'a misspelt field of a route is an error, because the route would be another one',
      { conditon: '${false}', handler: proxy },
      ["unknown-field conditon: there is no field 'conditon' here (did you mean 'condition'?)"],
    ],
    [
      'filters that would not run are an error',
      { filters: [], handler: proxy },
      [
        "unknown-field filters: there is no field 'filters' here (make 'handler' a Chain and move them into its 'config')",
      ],
    ],
    [
      'an object that is no route is told where it belongs',
      { type: 'WelcomeHandler' },
      ["unknown-field type: there is no field 'type' here (put the object under 'handler')"],
    ],
    [
      'a misspelt config is an error',
      { handler: { type: proxy, conifg: {} } },
      ["unknown-field handler.conifg: there is no field 'conifg' here (did you mean 'config'?)"],
    ],
    [
      'a field beside config has no effect',
      { handler: { type: proxy, soTimeout: '1 s' } },
      [
        "warning decoration handler.soTimeout: has no effect here: it is a field of ReverseProxyHandler (move it into 'config')",
      ],
    ],
    [
      'a misspelt baseURI is refused',
      { baseUri: 'http://a', handler: proxy },
      ["decoration baseUri: there is no decorator 'baseUri' (did you mean 'baseURI'?)"],
    ],
    [
      'another misspelt decorator has no effect',
      { captur: 'all', handler: proxy },
      ["warning decoration captur: has no effect: there is no decorator 'captur' (did you mean 'capture'?)"],
    ],
    ['remarks of the writer are nobody else’s business', { _note: 1, 'x-note': 2, comment: 3, handler: proxy }, []],
    [
      'a condition of null is told, because it takes everything',
      { condition: null, handler: proxy },
      [
        expect.stringMatching(
          /^warning no-effect condition: has no effect: it is null, and every request is taken \(in YAML/,
        ),
      ],
    ],
  ])('%s', (_, document, expected) => {
    expect(said(document)).toEqual(expected);
  });
});

describe('a scope where scopes are wanted', () => {
  it.each([
    ['read', '["read"]'],
    ['read orders:write', '["read", "orders:write"]'],
    [' read, write ', '["read", "write"]'],
  ])('gets a hint about brackets: %j', (scopes, list) => {
    const endpoint = 'https://as.test/introspect';
    const accessTokenResolver = { type: 'TokenIntrospectionAccessTokenResolver', config: { endpoint } };
    const filter = { type: 'OAuth2ResourceServerFilter', config: { accessTokenResolver, scopes } };
    const found = said({ handler: { type: 'Chain', config: { filters: [filter], handler: proxy } } });
    expect(found).toEqual([expect.stringMatching(/there is no object '.*read/)]);
    expect(found[0]).toMatch(new RegExp(`\\(scopes stand in brackets: ${RegExp.escape(list)}\\)$`));
  });
});

describe('an object of another kind', () => {
  it.each<[JsonObject, string]>([
    [{ handler: { type: 'DateHeaderFilter' } }, 'kind handler: must be a Handler, and a DateHeaderFilter is a Filter'],
    [{ handler: 'Clock' }, "kind handler: must be a Handler, but 'Clock' is a Clock"],
    [
      { heap: [{ name: 'Dates', type: 'DateHeaderFilter' }], handler: 'Dates' },
      "kind handler: must be a Handler, but 'Dates' is a DateHeaderFilter, which is a Filter",
    ],
    [
      { handler: { type: 'AssignmentFilter', config: { onRequest: [] } } },
      'kind handler: must be a Handler, and an AssignmentFilter is a Filter',
    ],
  ])('is reported: %j', (document, expected) => {
    expect(said(document)).toEqual([expected]);
  });
});

describe('warnings of a valid document', () => {
  const assigned = (target: string): JsonObject => ({
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'AssignmentFilter', config: { onRequest: [{ target, value: 'a' }] } }],
        handler: proxy,
      },
    },
  });

  it.each<[string, JsonObject, string]>([
    [
      'a backend that cannot be reached',
      { baseURI: 'ftp://a.test', handler: proxy },
      "warning unavailable-field baseURI: requests are answered with 502: backends of the scheme 'ftp' are not supported",
    ],
    [
      'a target that cannot be assigned to',
      assigned('${request.uri.nothing}'),
      'warning no-effect handler.config.filters[0].config.onRequest[0].target: has no effect: nothing can be assigned to ${request.uri.nothing}',
    ],
    [
      'a misspelt name in an expression',
      { condition: '${reqest.method == null}', handler: proxy },
      "warning expression condition: 'reqest' is not known here and is always null (did you mean 'request'?)",
    ],
    [
      'a name of early versions',
      { condition: '${exchange.request == null}', handler: proxy },
      "warning expression condition: 'exchange' is not known here and is always null ('request', 'response' and 'session' are names of their own, and 'attributes' holds what else was in it)",
    ],
    [
      'a method that no value has',
      { condition: '${request.getClass() == null}', handler: proxy },
      "warning expression condition: there is no method 'getClass': where it is called, the expression gives null",
    ],
  ])('name %s', (_, document, expected) => {
    expect(said(document)).toEqual([expected]);
  });

  it('are absent from a correct document', () => {
    const fine =
      "${request.uri.path.startsWith('/a') and request.headers['a'].size() == 1 and request.getMethod() == 'GET'}";
    expect(said({ condition: fine, baseURI: 'http://a.test', handler: proxy })).toEqual([]);
    expect(said(assigned('${attributes.a}'))).toEqual([]);
  });
});

describe('the name of a Java class', () => {
  const typed = (type: string): string[] => said({ handler: { type, config: {} } });

  it('understands the class name of a type of OpenIG', () => {
    expect(typed('org.forgerock.openig.handler.WelcomeHandler')).toEqual([]);
    expect(typed('org.forgerock.openig.handler.DesKeyGenHandler')).toEqual([
      "unavailable-type handler.type: the type 'org.forgerock.openig.handler.DesKeyGenHandler' is known, but not available in this version",
    ]);
  });

  it('is not matched with our type if it belongs to another product', () => {
    expect(typed('com.example.WelcomeHandler')).toEqual([
      "unknown-type handler.type: there is no type 'com.example.WelcomeHandler' (Java classes cannot be loaded)",
    ]);
  });
});

describe('an issuer without a scheme', () => {
  it('gets a hint about its URL', () => {
    const config = { issuer: 'login.example.com', clientId: 'gateway' };
    const found = said({ heap: [{ name: 'shop', type: 'ClientRegistration', config }], handler: proxy });
    expect(found).toEqual([
      expect.stringMatching(
        /there is no object 'login.example.com' .*\(the URL of an issuer begins with 'https:\/\/'\)$/,
      ),
    ]);
  });
});
