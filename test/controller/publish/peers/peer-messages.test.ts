import { expect, it } from 'vitest';
import {
  decodePeerMessage,
  encodePeerMessage,
  type FollowerMessage,
} from '../../../../controller/publish/peers/peer-messages.ts';
import { withNewFields } from '../../../support/channel/newer-message.ts';

const key = { router: 'gateway._router', id: 'shop.a' };
const problem = {
  code: 'build',
  severity: 'error',
  path: ['a', 0],
  message: 'm',
  hint: 'h',
  others: [['b']],
} as const;
const messages: FollowerMessage[] = [
  { type: 'peer', protocol: 1, controller: 'c', clock: 5 },
  {
    type: 'plane',
    identity: { id: 'i', name: 'n', group: 'g', namespace: 'ns', labels: { a: 'b' }, isSidecar: true, until: 9 },
    connectedSince: 1,
    version: '0.1.0',
    pending: { revision: 'r', sentAt: 2 },
    revision: 'r',
    full: true,
    routes: [['k', 'h', { route: key, problems: [problem], keepsServing: true }]],
  },
  {
    type: 'report',
    plane: 'i',
    at: 3,
    report: {
      type: 'report',
      revision: null,
      ready: true,
      unitsServing: 1,
      clock: 5,
      since: 's',
      routes: [{ ...key, name: 'a', figures: [1, 2.5], counts: [0, 4] }],
    },
  },
  { type: 'left', plane: 'i' },
  { type: 'heartbeat' },
];

it.each(messages)('a message of a follower is decoded completely: $type', (message) => {
  expect(decodePeerMessage(encodePeerMessage(message))).toEqual(message);
});

it.each(messages)('a message of a newer follower may have more fields, at every level: $type', (message) => {
  expect(decodePeerMessage(Buffer.from(JSON.stringify(withNewFields(message))))).toEqual(message);
});

it('a message of an unknown type is rejected', () => {
  expect(decodePeerMessage(Buffer.from('{"type":"promise"}'))).toBeNull();
});
