import { describe, expect, it } from 'vitest';
import type { ControllerMessage, PlaneMessage, UpdateMessage } from '../../contract/channel.ts';
import {
  decodeControllerMessage,
  decodePlaneMessage,
  encodeMessage,
  MAX_MESSAGE_BYTES,
  MalformedMessage,
  MOST_CONTAINERS,
} from '../../contract/channel-codec.ts';
import { withNewFields } from '../support/channel/newer-message.ts';

const key = { router: 'gateway._router', id: 'shop.a' };
const source = { uid: 'u', resourceVersion: '7' };
const route = {
  ...key,
  name: 'a',
  document: { handler: 'h', __proto__hash: 1 },
  hash: 'h',
  refuses: true as const,
  tenant: 't',
  files: { 'shop/keys/k': 'YQ==' },
  stores: ['keys'],
  sources: [source],
  generation: 3,
};
const base = {
  document: { heap: [] },
  admin: { mode: 'x' },
  hash: 'b',
  trust: { tenants: [{ name: 't', hosts: ['*'] }], egress: ['10.0.0.0/8'], sharedObjects: ['s'] },
  sources: [source],
};
const problem = {
  code: 'build',
  severity: 'error',
  path: ['a', 0],
  message: 'm',
  hint: 'h',
  others: [['b']],
} as const;
const problems = [{ route: key, problems: [problem], keepsServing: true }];

const planeMessages: PlaneMessage[] = [
  {
    type: 'hello',
    protocol: 1,
    version: '0.1.0',
    catalogue: 'c',
    units: 2,
    name: 'p',
    labels: { a: 'b' },
    holds: { revision: 'r', base: 'b', routes: [['x', 'y', 'z']], resources: [['k', 'h']] },
  },
  { type: 'ack', nonce: 1, revision: 'r', problems, newer: [key] },
  { type: 'nack', nonce: 1, revision: 'r', problems: [{ route: null, problems: [], keepsServing: false }] },
  { type: 'recalled', routes: [route] },
  {
    type: 'report',
    revision: null,
    ready: true,
    unitsServing: 1,
    clock: 5,
    since: 's',
    routes: [{ ...key, name: 'a', figures: [1, 2.5], counts: [0, 4] }],
  },
  { type: 'heartbeat' },
];

const controllerMessages: ControllerMessage[] = [
  {
    type: 'welcome',
    controller: 'c',
    plane: 'p',
    group: 'g',
    namespace: null,
    labels: {},
    heartbeat: 4_000,
    report: 10_000,
    authorities: 'PEM',
  },
  {
    type: 'update',
    nonce: 1,
    revision: 'r',
    full: true,
    more: true,
    base,
    set: [route],
    remove: [{ ...key, source }],
    keep: [{ ...key, hash: 'h' }],
    defaults: ['gateway._router'],
    seen: '9',
    resources: {
      set: [
        {
          type: 'forbidden-addresses',
          key: 'forbidden/k',
          hash: 'h',
          places: [{ address: '10.0.0.1' }, { address: 'fd00::1', port: 443 }],
        },
      ],
      remove: ['forbidden/gone'],
    },
  },
  { type: 'recall', routes: [{ ...key, hash: 'h' }] },
  { type: 'heartbeat' },
  { type: 'goaway', reason: 'r' },
];

describe('messages of the channel', () => {
  it.each(planeMessages)('of a data plane are decoded completely: $type', (message) => {
    expect(decodePlaneMessage(encodeMessage(message))).toEqual(message);
  });

  it.each(controllerMessages)('of a controller are decoded completely: $type', (message) => {
    expect(decodeControllerMessage(encodeMessage(message))).toEqual(message);
  });

  it('of one side are not valid for the other', () => {
    expect(() => decodePlaneMessage(encodeMessage({ type: 'goaway', reason: 'r' }))).toThrow(MalformedMessage);
  });

  it.each(planeMessages)('of a newer plane may have more fields, at every level: $type', (message) => {
    expect(decodePlaneMessage(Buffer.from(JSON.stringify(withNewFields(message))))).toEqual(message);
  });

  it.each(controllerMessages)('of a newer controller may have more fields, at every level: $type', (message) => {
    expect(decodeControllerMessage(Buffer.from(JSON.stringify(withNewFields(message))))).toEqual(message);
  });

  it('of a newer controller may have resources of unknown types, which are left out', () => {
    const update = controllerMessages.find(({ type }) => type === 'update') as UpdateMessage;
    const set = [{ type: 'newer', key: 'k', hash: 'h' }, ...update.resources!.set];
    const text = JSON.stringify({ ...update, resources: { set, remove: [] } });
    expect(decodeControllerMessage(Buffer.from(text))).toEqual({
      ...update,
      resources: { set: update.resources!.set, remove: [] },
    });
  });

  it('do not accept a forbidden address that is malformed', () => {
    const text = JSON.stringify(controllerMessages).replace('"10.0.0.1"', '"kubernetes"');
    const [update] = (JSON.parse(text) as ControllerMessage[]).filter(({ type }) => type === 'update');
    expect(() => decodeControllerMessage(Buffer.from(JSON.stringify(update)))).toThrow(MalformedMessage);
  });

  it('may have a problem with an unknown code', () => {
    const text = JSON.stringify(planeMessages[1]).replace('"build"', '"newer-code"');
    expect(decodePlaneMessage(Buffer.from(text))).toMatchObject({ problems: [{ problems: [{ code: 'build' }] }] });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"type":'],
    ['null', 'null'],
    ['an array', '[]'],
    ['no type', '{}'],
    ['a negative nonce', '{"type":"nack","nonce":-1,"revision":"r","problems":[]}'],
    [
      'a document that is none',
      '{"type":"recalled","routes":[{"router":"r","id":"i","name":"n","document":[],"hash":"h"}]}',
    ],
  ])('are not %s', (_, text) => {
    expect(() => decodePlaneMessage(Buffer.from(text))).toThrow(MalformedMessage);
  });

  it('are never quoted when they are wrong', () => {
    const secret = '{"type":"recalled","routes":[{"files":{"k":"c2VjcmV0"}}]}';
    expect(() => decodePlaneMessage(Buffer.from(secret))).toThrow(/^(?!.*c2Vjc).*routes\.0\.router/);
    expect(() => decodePlaneMessage(Buffer.from('c2VjcmV0'))).toThrow(/^the message is not JSON$/);
  });

  it('have a limit of objects and lists, also in fields that nobody reads', () => {
    const beat = (containers: number): Buffer =>
      Buffer.from(`{"type":"heartbeat","more":[${Array(containers - 2).fill('{}')}]}`);
    expect(() => decodePlaneMessage(beat(MOST_CONTAINERS + 1))).toThrow('the message has too many objects and lists');
    expect(decodePlaneMessage(beat(MOST_CONTAINERS))).toEqual({ type: 'heartbeat' });
    const text = `{"type":"heartbeat","more":"\\"${'{['.repeat(MOST_CONTAINERS)}"}`;
    expect(decodePlaneMessage(Buffer.from(text))).toEqual({ type: 'heartbeat' });
  });

  it('have a limit, and are text', () => {
    expect(() => decodePlaneMessage(Buffer.alloc(MAX_MESSAGE_BYTES + 1))).toThrow('the message is too long');
    expect(() => decodePlaneMessage(Buffer.from([0x22, 0xff, 0x22]))).toThrow(MalformedMessage);
  });
});
