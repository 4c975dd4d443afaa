import { describe, expect, it } from 'vitest';
import {
  adviceChallenge,
  adviceLocation,
  compositeAdvice,
  followedAdvices,
} from '../../../../dataplane/access-manager/policies/advices.ts';

const LEVEL = { AuthLevelConditionAdvice: ['5'] };
const LEVEL_XML =
  '<Advices><AttributeValuePair><Attribute name="AuthLevelConditionAdvice"/><Value>5</Value></AttributeValuePair></Advices>';
const page = { page: 'https://am.test/openam/', realm: '/', goto: 'https://app.test/a?x=1&y=2', isEncoded: false };

describe('followed advices', () => {
  it.each([
    'AuthLevelConditionAdvice',
    'AuthSchemeConditionAdvice',
    'AuthenticateToRealmConditionAdvice',
    'AuthenticateToServiceConditionAdvice',
    'AuthenticateToTreeConditionAdvice',
    'TransactionConditionAdvice',
  ])('include %s', (name) => {
    expect(followedAdvices({ [name]: ['v'], Other: ['w'] })).toEqual({ [name]: ['v'] });
  });

  it.each([
    [{}],
    [{ IPConditionAdvice: ['x'] }],
    [{ AuthLevelConditionAdvice: [] }],
    [{ AuthLevelConditionAdvice: ['a\0b'] }],
    [{ AuthLevelConditionAdvice: ['\u001b[0m'] }],
    [{ AuthLevelConditionAdvice: ['\ufffe'] }],
    [JSON.parse('{"__proto__":["x"],"constructor":["x"]}')],
  ])('are none in %j', (advices) => {
    expect(followedAdvices(advices)).toBeNull();
  });
});

describe('a composite advice', () => {
  it('has a pair for each advice with all its values', () => {
    expect(compositeAdvice(LEVEL)).toBe(LEVEL_XML);
    expect(compositeAdvice({ A: ['1', '2'], B: ['3'] })).toBe(
      '<Advices><AttributeValuePair><Attribute name="A"/><Value>1</Value><Value>2</Value></AttributeValuePair>' +
        '<AttributeValuePair><Attribute name="B"/><Value>3</Value></AttributeValuePair></Advices>',
    );
  });

  it('cannot be broken out of', () => {
    const xml = compositeAdvice({ A: ['</Value><Value>x&"\'\r\n\t'] });
    expect(xml).toBe(
      '<Advices><AttributeValuePair><Attribute name="A"/>' +
        '<Value>&lt;/Value&gt;&lt;Value&gt;x&amp;&quot;&apos;&#13;&#10;&#9;</Value></AttributeValuePair></Advices>',
    );
  });
});

describe('the URL to follow advices', () => {
  it('has the parameters of a composite advice', () => {
    const url = adviceLocation(LEVEL, page);
    expect(url).toBe(
      'https://am.test/openam/?goto=https%3A%2F%2Fapp.test%2Fa%3Fx%3D1%26y%3D2&realm=%2F' +
        `&authIndexType=composite_advice&authIndexValue=${encodeURIComponent(LEVEL_XML)}`,
    );
    expect([...new URL(url).searchParams]).toEqual([
      ['goto', page.goto],
      ['realm', '/'],
      ['authIndexType', 'composite_advice'],
      ['authIndexValue', LEVEL_XML],
    ]);
  });

  it('has the advices in base64url for an access manager that reads it', () => {
    const value = new URL(adviceLocation(LEVEL, { ...page, isEncoded: true })).searchParams.get('authIndexValue')!;
    expect(value).toMatch(/^[\w-]+$/);
    expect(Buffer.from(value, 'base64url').toString()).toBe(LEVEL_XML);
  });

  it('keeps the parameters of a login page but those that say where and how to sign in', () => {
    const own =
      'https://login.test/in?realm=%2Fcustomers&goto=https%3A%2F%2Fevil.test&authIndexType=service&locale=de#top';
    const url = new URL(adviceLocation(LEVEL, { ...page, page: own }));
    expect([...url.searchParams]).toEqual([
      ['goto', page.goto],
      ['realm', '/customers'],
      ['locale', 'de'],
      ['authIndexType', 'composite_advice'],
      ['authIndexValue', LEVEL_XML],
    ]);
    expect(url.hash).toBe('#top');
  });

  it('is one line of visible ASCII whatever advices hold', () => {
    const url = adviceLocation({ A: ['a\r\nSet-Cookie: x=1', 'ü "<>'] }, page);
    expect(url).toMatch(/^[!-~]+$/);
  });
});

describe('the challenge with advices', () => {
  it('has them as base64 of JSON', () => {
    const challenge = adviceChallenge(LEVEL, '/', 'https://am.test/openam');
    const match = /^SSOADVICE realm="\/",advices="([A-Za-z0-9+/=]+)",am_uri="https:\/\/am\.test\/openam\/"$/.exec(
      challenge,
    );
    expect(JSON.parse(Buffer.from(match![1]!, 'base64').toString())).toEqual(LEVEL);
  });

  it('is one line of visible ASCII whatever advices and realms hold', () => {
    expect(adviceChallenge({ A: ['ü\r\n"'] }, '/kü"nden', 'https://am.test')).toMatch(/^[ -~]+$/);
    expect(adviceChallenge(LEVEL, '/a"b', 'https://am.test')).toContain('realm="/a\\"b"');
  });
});
