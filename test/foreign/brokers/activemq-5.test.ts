import { brokerCases } from './support/broker-cases.ts';
import { ACTIVEMQ_5 } from './support/broker-program.ts';
import { classicOpenwire } from './support/wires.ts';

brokerCases(ACTIVEMQ_5, [classicOpenwire]);
