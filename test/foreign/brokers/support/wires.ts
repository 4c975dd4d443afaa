import type { Wire } from './broker-cases.ts';

const openwire: Wire = {
  title: 'OpenWire',
  plain: 'tcp',
  secure: 'ssl',
  impatience: '?wireFormat.maxInactivityDuration=1500&wireFormat.maxInactivityDurationInitalDelay=500',
  properties: [],
  refusal: /User name \[gateway\] or password is invalid/,
  denial: /User gateway is not authorized to write to/,
  hasVirtualTopics: true,
};

const amqp: Wire = {
  title: 'AMQP',
  plain: 'amqp',
  secure: 'amqps',
  impatience: '?amqp.idleTimeout=1500&jms.connectTimeout=3000',
  properties: 'any',
  refusal: /Failed to authenticate/,
  denial: /amqp:unauthorized-access|does not have permission/,
  hasVirtualTopics: false,
};

export const classicOpenwire = openwire;
export const classicAmqp = amqp;
export const artemisAmqp = amqp;
export const artemisOpenwire: Wire = {
  ...openwire,
  properties: 'any',
  refusal: /gateway/,
  denial: /gateway/,
  hasVirtualTopics: false,
};
