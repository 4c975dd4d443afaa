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

  it.each([{}, { managed: ['a', 'b', 'c'], defaultAction: 'RELAY' }])(
    'keeps managed cookies in the session and sends them to the application: %j',
    async (config) => {
      const { ask, seen } = await startFiltered([{ type: 'CookieFilter', config }]);
      const first = await ask(SETS, { headers: ['Cookie: a=forged'] });
      const [session = '', ...others] = first.values('set-cookie');
      expect([session.split('=')[0], others]).toEqual(['IG_SESSIONID', []]);
      const cookie = `Cookie: ${session.split(';')[0]}; b=forged`;
      await ask('/t/deeper', { headers: [cookie] });
      await ask('/elsewhere', { headers: [cookie] });
      await ask('/t?h.set-cookie=a%3D;Max-Age%3D0;Path%3D/&h.set-cookie=b%3Dnew;Path%3D/', { headers: [cookie] });
      await ask('/t', { headers: [cookie] });
      await ask('/t', { host: 'other.test', headers: [cookie] });
      const sent = seen.map(({ headers }) => headers.filter(([name]) => name === 'cookie').map(([, value]) => value));
      expect(sent).toEqual([[], ['a=1; b=2; c=3'], ['a=1; b=2; c=3'], ['a=1; b=2; c=3'], ['c=3; b=new'], []]);
    },
  );

  it.each([
    ['Domain=test', 'other.test', true],
    ['Domain=.gw.test', 'gw.test', true],
    ['Domain=backend.internal', 'gw.test', true],
    ['Domain=backend.internal', 'backend.internal', false],
    ['Path=/t', 'gw.test', true],
    ['Path=/tt', 'gw.test', false],
    ['Max-Age=3600', 'gw.test', true],
    ['Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'gw.test', false],
  ])('sends a cookie with %s to %s: %s', async (attribute, host, isSent) => {
    const { ask, seen } = await startFiltered([{ type: 'CookieFilter', config: {} }]);
    const lines = [`a=1;${attribute}`, 'always=1;Domain=test;Path=/'].map(
      (line) => `h.set-cookie=${encodeURIComponent(line)}`,
    );
    const first = await ask(`/t/x?${lines.join('&')}`);
    const cookie = `Cookie: ${first.values('set-cookie')[0]!.split(';')[0]}`;
    await ask('/t/y', { host, headers: [cookie] });
    const sent = seen[1]!.headers.flatMap(([name, value]) => (name === 'cookie' ? value.split('; ') : []));
    expect(sent.includes('a=1')).toBe(isSent);
  });

  it.each([
    [
      { managed: ['a'], relayed: ['A'], suppressed: ['x', 'X'] },
      ["exclusive relayed[0]: 'A' cannot be both managed and relayed"],
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
