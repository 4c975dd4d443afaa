import { describe, expect, it } from 'vitest';
import { LONGEST_TOKEN, readJws } from '../../../dataplane/jose/compact-jws.ts';
import { signatureAlgorithms } from '../../../dataplane/jose/signature-algorithm.ts';
import { tokenPart, tokenText } from '../../support/identity/token-text.ts';

const SIGNATURE = tokenPart('signature');
const sound = tokenText({ alg: 'HS256' }, { a: 1 }, 'signature');
const [header, payload] = sound.split('.');

describe('readJws', () => {
  it('reads the parts of a token', () => {
    const text = tokenText({ alg: 'RS256', kid: 'k', typ: 'JWT', jku: 'https://evil.example.com/' }, '{}', 'signature');
    expect(readJws(text)).toEqual({
      header: { alg: 'RS256', kid: 'k', typ: 'JWT', jku: 'https://evil.example.com/' },
      alg: 'RS256',
      kid: 'k',
      payload: Buffer.from('{}'),
      signingInput: Buffer.from(text.slice(0, text.lastIndexOf('.'))),
      signature: Buffer.from('signature'),
    });
  });

  it('reads an empty payload and a header without kid', () => {
    expect(readJws(tokenText({ alg: 'ES256' }, ''))).toMatchObject({ kid: null, payload: Buffer.alloc(0) });
  });

  it('parses the same header with the same result', () => {
    expect(readJws(sound)).toEqual(readJws(sound));
    expect(readJws(tokenText({ alg: 'HS256' }, 'other'))?.payload.toString()).toBe('other');
  });

  it('reads a header with a chain of certificates', () => {
    const x5c = Array.from({ length: 5 }, () => 'MII/'.repeat(500));
    expect(readJws(tokenText({ alg: 'RS256', x5c }, '{}'))?.header['x5c']).toEqual(x5c);
  });

  it.each(signatureAlgorithms)('recognizes %s', (alg) => {
    expect(readJws(tokenText({ alg }, '{}'))?.alg).toBe(alg);
  });

  it.each([
    ['nothing', ''],
    ['no dots', 'abcd'],
    ['only dots', '..'],
    ['two parts', `${header}.${payload}`],
    ['two parts and a dot', `${header}.${payload}.`],
    ['four parts', `${sound}.AAAA`],
    ['a dot at the end', `${sound}.`],
    ['a dot before', `.${sound}`],
    ['five parts', `${sound}.AAAA.AAAA`],
    ['no header', `.${payload}.${SIGNATURE}`],
    ['padding', `${header}.${payload}==.${SIGNATURE}`],
    ['a space before', ` ${sound}`],
    ['a space after', `${sound} `],
    ['a line feed after', `${sound}\n`],
    ['a space inside', sound.replace('.', ' .')],
    ['base64 instead of base64url', `${header}.+/+/.${SIGNATURE}`],
    ['bits that are left over in the payload', `${header}.AB.${SIGNATURE}`],
    ['bits that are left over in the signature', `${header}.AA.AB`],
    ['bits that are left over in the header', `${tokenPart('{"alg":"HS256"} ').slice(0, -1)}B.AA.AA`],
    ['a character of another alphabet', `${sound.slice(0, -1)}\u0141`],
    ['JSON serialisation, flattened', JSON.stringify({ protected: header, payload, signature: SIGNATURE })],
    ['JSON serialisation', JSON.stringify({ payload, signatures: [{ protected: header, signature: SIGNATURE }] })],
    ['a token that is too long', tokenText({ alg: 'HS256' }, 'x'.repeat(LONGEST_TOKEN))],
  ])('refuses %s', (_, text) => {
    expect(readJws(text)).toBeNull();
  });

  it.each<[string, unknown]>([
    ['no JSON', 'alg'],
    ['an array', []],
    ['null', null],
    ['a text', '"alg"'],
    ['a byte order mark', '\ufeff{"alg":"HS256"}'],
    ['no alg', {}],
    ['alg null', { alg: null }],
    ['alg as a list', { alg: ['HS256'] }],
    ['alg none', { alg: 'none' }],
    ['alg None', { alg: 'None' }],
    ['alg NONE', { alg: 'NONE' }],
    ['alg nOnE', { alg: 'nOnE' }],
    ['alg with nothing', { alg: '' }],
    ['alg in lower case', { alg: 'hs256' }],
    ['alg in mixed case', { alg: 'Rs256' }],
    ['alg with a space', { alg: 'HS256 ' }],
    ['an unknown alg', { alg: 'HS1' }],
    ['an alg of encryption', { alg: 'dir' }],
    ['the name of a member of every object as alg', { alg: 'constructor' }],
    ['alg twice', '{"alg":"HS256","alg":"RS256"}'],
    ['alg twice, once with an escape', '{"alg":"HS256","\\u0061lg":"none"}'],
    ['kid twice', '{"alg":"HS256","kid":"a","kid":"b"}'],
    ['kid as a number', { alg: 'HS256', kid: 1 }],
    ['kid null', { alg: 'HS256', kid: null }],
    ['typ as a list', { alg: 'HS256', typ: ['JWT'] }],
    ['cty as an object', { alg: 'HS256', cty: {} }],
    ['crit', { alg: 'HS256', crit: ['exp'], exp: 1 }],
    ['an empty crit', { alg: 'HS256', crit: [] }],
    ['crit null', { alg: 'HS256', crit: null }],
    ['b64 false', { alg: 'HS256', b64: false }],
    ['b64 true', { alg: 'HS256', b64: true }],
    ['b64 with crit', { alg: 'HS256', b64: false, crit: ['b64'] }],
    [
      'hundreds of members',
      { alg: 'HS256', ...Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m${i}`, 0])) },
    ],
    ['hundreds of items', { alg: 'HS256', list: Array.from({ length: 300 }, () => 0) }],
  ])('refuses a header that is or has %s', (_, value) => {
    expect(readJws(tokenText(value, '{}'))).toBeNull();
  });
});
