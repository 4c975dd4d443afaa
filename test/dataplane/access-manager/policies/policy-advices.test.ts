import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { Response } from '../../../../dataplane/engine/message/response.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { amDeclaration, EVALUATE, type SentQuestion } from '../../../support/access-manager/policy-gateway.ts';
import { type SignedOnOptions, signedOnExchange } from '../../../support/access-manager/signed-on-exchange.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';

const LEVEL = { AuthLevelConditionAdvice: ['5'] };
const XML =
  '<Advices><AttributeValuePair><Attribute name="AuthLevelConditionAdvice"/><Value>5</Value></AttributeValuePair></Advices>';

/** A filter that is called with requests after an SSO filter; the access manager denies with these advices. */
async function advised(
  advices: object,
  config: JsonObject = {},
  options: { version?: string | null; realm?: string } = {},
) {
  const { version, realm = '/' } = options;
  const am = await startAccessManager({ ...(version !== undefined && { version }), realms: ['/customers'] });
  am.answer(EVALUATE, ({ body }) => {
    const { resources, environment = {} } = JSON.parse(body) as SentQuestion;
    const isConfirmed = JSON.stringify(environment) === '{"TxId":["t1"]}';
    const [actions, given] = isConfirmed ? [{ GET: true }, {}] : [{}, advices];
    return { status: 200, body: [{ resource: resources[0], actions, attributes: {}, advices: given }] };
  });
  const { object: filter } = buildObject('filter', 'PolicyEnforcementFilter', {
    amService: amDeclaration(am, { realm }),
    ssoTokenSubject: '${contexts.ssoToken.value}',
    cache: { enabled: true },
    ...config,
  });
  const forwarded: string[] = [];
  const ask = async (asked: SignedOnOptions = {}) => {
    const exchange = signedOnExchange(asked);
    const { status, headers } = await filter(exchange, ({ request }) => {
      forwarded.push(request.uri.toString());
      return new Response(200);
    });
    return { status, location: headers.get('location'), challenge: headers.get('www-authenticate'), headers };
  };
  return { am, ask, forwarded, questions: () => questionsOf(am) };
}

function questionsOf(am: AccessManager): SentQuestion[] {
  return am.callsTo(EVALUATE).map(({ body }) => JSON.parse(body) as SentQuestion);
}

describe('advices after an SSO filter', () => {
  it.each([
    'AuthLevelConditionAdvice',
    'AuthSchemeConditionAdvice',
    'AuthenticateToRealmConditionAdvice',
    'AuthenticateToServiceConditionAdvice',
    'AuthenticateToTreeConditionAdvice',
    'TransactionConditionAdvice',
  ])('send the browser to the login page: %s', async (name) => {
    const { am, ask, forwarded } = await advised({ [name]: ['v'] });
    const { status, location, headers } = await ask({ uri: 'http://app.test/a?x=1' });
    expect(status).toBe(307);
    const url = new URL(location!);
    expect(`${url.origin}${url.pathname}`).toBe(`${am.url}/`);
    const back = name === 'TransactionConditionAdvice' ? 'http://app.test/a?x=1&_txid=v' : 'http://app.test/a?x=1';
    expect([...url.searchParams.keys()]).toEqual(['goto', 'realm', 'authIndexType', 'authIndexValue']);
    expect([url.searchParams.get('goto'), url.searchParams.get('realm')]).toEqual([back, '/']);
    expect(url.searchParams.get('authIndexValue')).toBe(
      XML.replace('AuthLevelConditionAdvice', name).replace('5', 'v'),
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(forwarded).toEqual([]);
  });

  it.each([
    ['GET', 307],
    ['HEAD', 307],
    ['POST', 302],
    ['DELETE', 302],
  ])('never make a browser send a body to the access manager: %s gets %i', async (method, status) => {
    const { ask } = await advised(LEVEL);
    expect((await ask({ method })).status).toBe(status);
  });

  it('are never cached', async () => {
    const { ask, questions } = await advised(LEVEL);
    await ask();
    await ask();
    expect(questions()).toHaveLength(2);
  });

  it.each<[string | null, boolean | undefined, boolean]>([
    ['7.5.1', undefined, true],
    ['8.0.0', false, true],
    ['7.5.1', true, false],
    ['6.5.3', undefined, false],
    ['16.0.5', undefined, false],
    [null, undefined, false],
  ])('are encoded as version %s reads them, with useLegacyAdviceEncoding %s', async (version, legacy, isEncoded) => {
    const config = legacy === undefined ? {} : { useLegacyAdviceEncoding: legacy };
    const { ask } = await advised(LEVEL, config, { version });
    const value = new URL((await ask()).location!).searchParams.get('authIndexValue')!;
    expect(isEncoded ? Buffer.from(value, 'base64url').toString() : value).toBe(XML);
  });

  it('lead to the login page of the SSO filter, with its realm', async () => {
    const { ask } = await advised(LEVEL);
    const ssoToken = { value: 'tok', loginEndpoint: 'https://login.test/in?realm=%2Fcustomers' };
    const url = new URL((await ask({ ssoToken })).location!);
    expect([url.origin, url.searchParams.get('realm'), url.searchParams.get('authIndexValue')]).toEqual([
      'https://login.test',
      '/customers',
      XML,
    ]);
  });

  it.each([null, 'javascript:alert(1)', '/relative', 5])(
    'do not lead to a login page that is no URL: %s',
    async (loginEndpoint) => {
      const { ask, am } = await advised(LEVEL);
      expect((await ask({ ssoToken: { value: 'tok', loginEndpoint } })).location).toMatch(new RegExp(`^${am.url}/\\?`));
    },
  );

  it('name the realm of the AmService', async () => {
    const { ask } = await advised(LEVEL, {}, { realm: '/customers' });
    expect(new URL((await ask()).location!).searchParams.get('realm')).toBe('/customers');
  });

  it.each([
    ['X-Authenticate-Response', 'HEADER', {}],
    ['x-authenticate-response', 'header', {}],
    ['X-AUTHENTICATE-RESPONSE', ' Header ', {}],
    ['x-my', 'HEADER', { authenticateResponseRequestHeader: 'X-My' }],
  ])('come in a header where the client asks for it by %s: %s', async (name, value, config) => {
    const { am, ask, forwarded } = await advised(LEVEL, config);
    const { status, location, challenge } = await ask({ headers: { [name]: value } });
    expect([status, location]).toEqual([401, null]);
    const match = /^SSOADVICE realm="\/",advices="([^"]+)",am_uri="([^"]+)"$/.exec(challenge!)!;
    expect(JSON.parse(Buffer.from(match[1]!, 'base64').toString())).toEqual(LEVEL);
    expect(match[2]).toBe(`${am.url}/`);
    expect(forwarded).toEqual([]);
  });

  it.each([
    ['x-authenticate-response', 'redirect', {}],
    ['x-authenticate-response', '', {}],
    ['x-authenticate-response', 'HEADER', { authenticateResponseRequestHeader: 'X-My' }],
  ])('come as a redirect with %s: %s', async (name, value, config) => {
    const { ask } = await advised(LEVEL, config);
    expect((await ask({ headers: { [name]: value } })).status).toBe(307);
  });

  it.each<[string, object, SignedOnOptions]>([
    ['there is no SSO filter', LEVEL, { ssoToken: null, headers: { 'X-Authenticate-Response': 'HEADER' } }],
    ['nobody can follow them', { IPConditionAdvice: ['10.0.0.1'] }, {}],
    ['XML cannot carry them', { AuthLevelConditionAdvice: ['\u0000'] }, {}],
  ])('are not told where %s: 403', async (_, advices, asked) => {
    const { ask } = await advised(advices, { ssoTokenSubject: 'tok' });
    const { status, location, challenge } = await ask(asked);
    expect([status, location, challenge]).toEqual([403, null, null]);
  });

  it('cannot inject header lines or XML', async () => {
    const evil = '</Value>\r\nSet-Cookie: a=b\r\n\r\n<script>"';
    const { ask } = await advised({ AuthLevelConditionAdvice: [evil] });
    const { location } = await ask();
    expect(location).toMatch(/^[!-~]+$/);
    expect(new URL(location!).searchParams.get('authIndexValue')).not.toContain('<script>');
    const { challenge } = await ask({ headers: { 'X-Authenticate-Response': 'HEADER' } });
    expect(challenge).toMatch(/^[ -~]+$/);
  });
});

describe('a transaction', () => {
  const ADVICE = { TransactionConditionAdvice: ['t1'] };

  it('is confirmed at the access manager, good for one request, and never forwarded or cached', async () => {
    const { ask, forwarded, questions } = await advised(ADVICE);
    const goto = new URL((await ask({ uri: 'http://app.test/a?x=1' })).location!).searchParams.get('goto')!;
    expect(goto).toBe('http://app.test/a?x=1&_txid=t1');
    expect((await ask({ uri: goto })).status).toBe(200);
    expect(forwarded).toEqual(['http://app.test/a?x=1']);
    expect((await ask({ uri: 'http://app.test/a?x=1' })).status).toBe(307);
    expect(questions()).toEqual([
      { resources: ['http://app.test/a?x=1'], subject: { ssoToken: 'tok' } },
      { resources: ['http://app.test/a?x=1'], subject: { ssoToken: 'tok' }, environment: { TxId: ['t1'] } },
      { resources: ['http://app.test/a?x=1'], subject: { ssoToken: 'tok' } },
    ]);
  });

  it('that was confirmed is not answered from the cache', async () => {
    const { ask, questions } = await advised({});
    await ask();
    await ask({ uri: 'http://app.test/a?_txid=t1' });
    await ask({ uri: 'http://app.test/a?_txid=t1' });
    expect(questions()).toHaveLength(3);
  });

  it('that is unknown leads to another one, and the old id does not come back', async () => {
    const { ask, forwarded } = await advised({ TransactionConditionAdvice: ['t2'] });
    const { location } = await ask({ uri: 'http://app.test/a?_txid=old' });
    expect(new URL(location!).searchParams.get('goto')).toBe('http://app.test/a?_txid=t2');
    expect(forwarded).toEqual([]);
  });
});
