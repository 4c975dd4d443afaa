import { expect, it } from 'vitest';
import { programmedOf } from '../../../../controller/cluster/status/programmed.ts';
import type { ResourceVerdict } from '../../../../controller/compile/resources/resource-verdict.ts';
import { BASE_PROBLEMS, type PlaneFacts } from '../../../../controller/publish/plane-facts.ts';
import { plane, resource, routeKey, routeProblems, verdict } from '../../../support/cluster/judged-resources.ts';

const ready = (name: string): PlaneFacts => plane(name, { orders: 'orders-1' });
const late = (name: string): PlaneFacts => plane(name, { orders: 'orders-0' });
const unable = (name: string): PlaneFacts =>
  plane(
    name,
    { orders: 'orders-0' },
    { problems: new Map([[routeKey('orders'), routeProblems('no such directory')]]) },
  );
const route = verdict('orders').route!;
const older = { ...route, hash: 'orders-0' };
const edited = resource('orders', { generation: 7 });
const lastGood = verdict('orders', { resource: edited, serves: 'last-good', servingGeneration: 6, route: older });
const refusing = verdict('orders', { serves: 'refuses', servingGeneration: null, route: { ...route, refuses: true } });

it.each<[string, ResourceVerdict, PlaneFacts[], string, boolean, string, string]>([
  ['all', verdict('orders'), [ready('a'), ready('b')], 'Programmed', true, '2/2', '2 of 2 planes run this generation'],
  ['one of one', verdict('orders'), [ready('a')], 'Programmed', true, '1/1', '1 of 1 planes run this generation'],
  ['some', verdict('orders'), [ready('a'), late('b')], 'Pending', false, '1/2', '1 of 2 planes run this generation'],
  [
    'one that no controller reaches',
    verdict('orders'),
    [ready('a'), { ...late('b'), cutOffSince: Date.UTC(2026, 0, 1) }],
    'Pending',
    false,
    '1/2',
    '1 of 2 planes run this generation; data plane edge/b has had no contact with a controller since 2026-01-01T00:00:00Z, but its Pod is Ready',
  ],
  [
    'one that is Ready and not connected',
    verdict('orders'),
    [ready('a'), plane('b', {}, { revision: null, isAwaited: true })],
    'Pending',
    false,
    '1/2',
    '1 of 2 planes run this generation; data plane edge/b is Ready but not connected to a controller',
  ],
  ['no planes', verdict('orders'), [], 'NoPlanes', false, '0/0', 'no data plane matches its selector'],
  [
    'one that cannot build it',
    verdict('orders'),
    [ready('a'), unable('b')],
    'PlaneRefused',
    false,
    '1/2',
    '1 of 2 planes run this generation; plane edge/b: handler.config: no such directory (the previous version keeps serving there)',
  ],
  [
    'one that cannot build the base',
    verdict('orders'),
    [ready('a'), plane('b', {}, { problems: new Map([[BASE_PROBLEMS, routeProblems('port taken', false)]]) })],
    'PlaneRefused',
    false,
    '1/2',
    '1 of 2 planes run this generation; plane edge/b: handler.config: port taken',
  ],
  [
    'last good',
    lastGood,
    [late('a'), late('b')],
    'LastGoodServes',
    false,
    '2/2 (gen 6)',
    '2 of 2 planes run generation 6, which keeps serving',
  ],
  [
    'a last good that is known by its hash only',
    { ...lastGood, route: null, remembered: { ...older, generation: 6, fallback: null } },
    [late('a'), plane('b')],
    'LastGoodServes',
    false,
    '1/2 (gen 6)',
    '1 of 2 planes run generation 6, which keeps serving',
  ],
  ['a refusal', refusing, [ready('a')], 'RefusesTraffic', false, '1/1 (refuses)', '1 of 1 planes reject its requests'],
  [
    'no condition that can be read',
    verdict('orders', { serves: 'nothing', servingGeneration: null, route: null }),
    [ready('a')],
    'TakesNoTraffic',
    false,
    '0/1',
    'not sent to data planes: its condition is not valid',
  ],
  [
    'a base that is not sound',
    verdict('orders', { serves: 'waits', servingGeneration: null, route: null }),
    [ready('a')],
    'BaseConfigurationInvalid',
    false,
    '0/1',
    'nothing is served until the base configuration is valid',
  ],
])('the condition Programmed is set with %s', (_, given, planes, reason, status, text, message) => {
  expect(programmedOf(given, { planes, withheld: [] })).toEqual({ reason, status, text, message });
});

it('names the first of many planes that cannot build it', () => {
  const planes = ['a', 'b', 'c', 'd', 'e'].map(unable);
  const { message } = programmedOf(verdict('orders'), { planes, withheld: [] });
  expect(message.match(/plane edge\//g)).toHaveLength(3);
  expect(message).toContain('and 2 more data planes');
});

it('reports data planes that are not open to its tenant', () => {
  const none = programmedOf(verdict('orders'), { planes: [], withheld: ['vault'] });
  const text = "it selects data planes of the group 'vault', which an operator has not opened to its tenant";
  expect(none).toEqual({ status: false, reason: 'GroupNotGranted', message: text, text: '0/0' });
  const some = programmedOf(verdict('orders'), { planes: [ready('a')], withheld: ['vault', 'edge'] });
  expect(some).toMatchObject({ status: true, reason: 'Programmed', text: '1/1' });
  expect(some.message).toContain(
    "1 of 1 planes run this generation; it selects data planes of the groups 'vault', 'edge'",
  );
});
