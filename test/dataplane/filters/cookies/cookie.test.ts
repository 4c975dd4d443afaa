import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const SETS = '/t?h.set-cookie=a%3D1;Path%3D/&h.set-cookie=b%3D2;Path%3D/&h.set-cookie=c%3D3';

describe('CookieFilter', () => {
  it.each([
    {
      config: { suppressed: ['a', 'B'], relayed: ['c'], defaultAction: 'RELAY' },
      sent: ['a=x; b=y; c=z; d=w'],
      received: ['c=z; d=w'],
      set: ['c=3'],
    },
    { config: { defaultAction: 'SUPPRESS' }, sent: ['a=x; b=y; c=z'], received: [], set: [] },
    {
      config: { defaultAction: 'suppress', relayed: ['A'] },
      sent: ['a=x; b=y', 'a=2'],
      received: ['a=x; a=2'],
      set: ['a=1;Path=/'],
    },
    {
      config: { defaultAction: 'RELAY' },
      sent: ['a=x;b=y ; c="z"'],
      received: ['a=x;b=y ; c="z"'],
      set: ['a=1;Path=/', 'b=2;Path=/', 'c=3'],
    },
    {
      config: { defaultAction: 'RELAY', suppressed: ['b'] },
      sent: ['a="x;b=y";  b = y;b;; c=z'],
      received: ['a="x; c=z'],
      set: ['a=1;Path=/', 'c=3'],
    },
    { config: { defaultAction: 'RELAY', suppressed: ['b'] }, sent: [], received: [], set: ['a=1;Path=/', 'c=3'] },
    {
      config: { managed: [], defaultAction: 'RELAY', suppressed: ['a', 'b', 'c'] },
      sent: ['x=1'],
      received: ['x=1'],
      set: [],
    },
  ])('$config: $sent becomes $received', async ({ config, sent, received, set }) => {
    const { ask, seen } = await startFiltered([{ type: 'CookieFilter', config }]);
    const answer = await ask(SETS, { headers: sent.map((line) => `Cookie: ${line}`) });
    expect(answer.status).toBe(200);
    expect(seen[0]!.headers.filter(([name]) => name === 'cookie').map(([, value]) => value)).toEqual(received);
    expect(answer.values('set-cookie')).toEqual(set);
  });

  const manage =
    'unavailable-field defaultAction: MANAGE, which is also the default, is known, but not available in this version: set RELAY or SUPPRESS';
  it.each([
    [{}, [manage]],
    [{ defaultAction: 'MANAGE' }, [manage]],
    [
      { managed: ['a'], defaultAction: 'RELAY' },
      ['unavailable-field managed: to manage cookies is known, but not available in this version'],
    ],
    [{ defaultAction: 'DROP' }, ["value defaultAction: must be one of MANAGE, RELAY, SUPPRESS, not 'DROP'"]],
    [
      { suppressed: ['a', 'b'], relayed: ['c', 'B'], defaultAction: 'RELAY' },
      ["exclusive relayed[1]: 'B' cannot be both suppressed and relayed"],
    ],
    [{ suppressed: [1], defaultAction: 'RELAY' }, ['value suppressed[0]: must be a string, not a number']],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('CookieFilter', config)).toEqual(problems);
  });
});
