import { describe, expect, it } from 'vitest';
import { readClaims, timeClaim, timeFault } from '../../../dataplane/jose/claims.ts';

const claims = (text: string): Readonly<Record<string, unknown>> => readClaims(Buffer.from(text))!;

describe('timeClaim', () => {
  it.each<[string, number | null | undefined]>([
    ['{}', undefined],
    ['{"exp":0}', 0],
    ['{"exp":1700000000}', 1_700_000_000_000],
    ['{"exp":1.5}', 1500],
    ['{"exp":-1}', -1000],
    ['{"exp":8640000000000}', 8.64e15],
    ['{"exp":8640000000001}', null],
    ['{"exp":1e400}', null],
    ['{"exp":-1e400}', null],
    ['{"exp":1e300}', null],
    ['{"exp":null}', null],
    ['{"exp":"1700000000"}', null],
    ['{"exp":[1700000000]}', null],
    ['{"exp":{}}', null],
    ['{"exp":true}', null],
  ])('reads exp of %s', (text, expected) => {
    expect(timeClaim(claims(text), 'exp')).toBe(expected);
  });

  it('looks at members of the claims only', () => {
    expect(timeClaim(claims('{}'), 'constructor')).toBeUndefined();
  });
});

describe('timeFault', () => {
  it.each<[string, number, string | null]>([
    ['{}', 0, null],
    ['{"exp":101}', 0, null],
    ['{"exp":100}', 0, 'expired'],
    ['{"exp":99}', 0, 'expired'],
    ['{"exp":99}', 1000, 'expired'],
    ['{"exp":99}', 1001, null],
    ['{"exp":-5}', 0, 'expired'],
    ['{"nbf":100}', 0, null],
    ['{"nbf":101}', 0, 'not yet valid'],
    ['{"nbf":101}', 1000, null],
    ['{"iat":100}', 0, null],
    ['{"iat":101}', 0, 'issued in the future'],
    ['{"iat":101}', 1000, null],
    ['{"exp":"101"}', 0, 'no date'],
    ['{"exp":101,"nbf":"1"}', 0, 'no date'],
    ['{"exp":101,"iat":null}', 0, 'no date'],
    ['{"exp":1e999}', 0, 'no date'],
    ['{"exp":99,"nbf":101}', 0, 'expired'],
  ])('validates %s at 100 s with a skew of %d ms', (text, skew, expected) => {
    expect(timeFault(claims(text), 100_000, skew)).toBe(expected);
  });
});
