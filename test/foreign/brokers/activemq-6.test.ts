import { brokerCases } from './support/broker-cases.ts';
import { ACTIVEMQ_6 } from './support/broker-program.ts';
import { classicAmqp, classicOpenwire } from './support/wires.ts';

brokerCases(ACTIVEMQ_6, [classicOpenwire, classicAmqp]);
