import { brokerCases } from './support/broker-cases.ts';
import { ARTEMIS } from './support/broker-program.ts';
import { artemisAmqp, artemisOpenwire } from './support/wires.ts';

brokerCases(ARTEMIS, [artemisOpenwire, artemisAmqp]);
