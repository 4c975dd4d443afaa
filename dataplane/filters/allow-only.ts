import type { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { Pattern } from '../../contract/pattern/pattern.ts';
import { pattern, text } from '../../contract/vocabulary/configured.ts';
import { oneRequired } from '../../contract/vocabulary/groups.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { subjectName } from '../engine/head/distinguished-name.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { defineFilter } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { Verdicts } from '../heap/objects/verdicts.ts';
import { network, networkTest } from './network.ts';
import { portRange } from './port-range.ts';

const from = z
  .strictObject({
    ip: z
      .strictObject({
        list: z
          .array(network())
          .min(1)
          .describe('IP addresses, networks such as `10.0.0.0/8`, or ranges written `first-last`.'),
      })
      .optional()
      .describe('Address of the client.'),
    certificate: z
      .strictObject({
        subjectDNs: z
          .array(pattern())
          .min(1)
          .describe('Patterns for the whole subject name, such as `CN=orders,O=.*`; one must match.'),
      })
      .optional()
      .describe('Certificate of the client, verified in the TLS handshake.'),
  })
  .check(oneRequired('ip', 'certificate'));

const destination = z
  .strictObject({
    hosts: z
      .array(pattern({ ignoreCase: true }))
      .min(1)
      .optional()
      .describe('Patterns for the whole host of the request, case-insensitive; one must match.'),
    ports: z.array(portRange()).min(1).optional().describe('Ports, or ranges such as `8080-8090`.'),
    methods: z.array(text()).min(1).optional().describe('Methods, case-sensitive.'),
    paths: z
      .array(pattern())
      .min(1)
      .optional()
      .describe('Patterns for the whole path of the request, such as `/orders/.*` (not `/orders/*`); one must match.'),
    when: runtimeFlag().optional().describe('Further condition.'),
  })
  .check(oneRequired('hosts', 'ports', 'methods', 'paths', 'when'));

const rule = z
  .strictObject({
    name: text().optional().describe('Name of the rule in the log.'),
    from: z.array(from).min(1).optional().describe('Allowed clients; one entry must match.'),
    destination: z.array(destination).min(1).optional().describe('Allowed destinations; one entry must match.'),
    when: runtimeFlag().optional().describe('Further condition.'),
  })
  .check(oneRequired('from', 'destination', 'when'));

type Test = (exchange: Exchange) => boolean;

/** Lets requests pass that a rule allows. */
export const allowOnlyFilter = defineFilter({
  type: 'AllowOnlyFilter',
  summary:
    'Passes on only requests that at least one rule allows. A rule allows a request if all its parts match: the ' +
    'client, the destination and the condition. In a list, one entry must match with all its fields. The client ' +
    'is the direct peer or, behind a trusted proxy, the client that the proxy names. A condition that evaluates ' +
    'to null is not true.',
  config: z.strictObject({
    rules: z.array(rule).min(1).describe('Rules, one of which must allow the request.'),
    failureHandler: ref('handler')
      .optional()
      .describe('Handler of requests that no rule allows; by default an empty 403.'),
  }),
  examples: [
    {
      title: 'Reading from the private network, anything from one machine',
      config: {
        rules: [
          {
            name: 'private',
            from: [{ ip: { list: ['10.0.0.0/8', '192.168.0.0/16'] } }],
            destination: [{ methods: ['GET', 'HEAD'], paths: ['/reports/.*'] }],
          },
          { name: 'administrator', from: [{ ip: { list: ['192.0.2.7'] } }] },
        ],
      },
    },
  ],
  create({ rules, failureHandler }, parts) {
    const { log } = parts;
    const denied = denials(parts, ['not-allowed'], failureHandler);
    const verdicts = new Verdicts(parts);
    const allowed = rules.map((one, index) => {
      const fields = { rule: one.name ?? index };
      return { test: ruleTest(one), fields, verdict: verdicts.of('allowed', fields) };
    });

    return function allowOnly(exchange, next) {
      for (const { test, fields, verdict } of allowed) {
        if (!test(exchange)) continue;
        log.debug(fields, 'rule allowed the request');
        exchange.access?.note(verdict);
        return next(exchange);
      }
      return denied.refuse(exchange, 'not-allowed', () => inputsOf(exchange));
    };
  },
});

/** What rules look at, beside what their conditions read. */
function inputsOf({ request, remoteAddress, client }: Exchange): Record<string, unknown> {
  const [leaf] = client.certificates;
  const { method, uri } = request;
  const subject = leaf === undefined ? null : subjectName(leaf);
  return { remoteAddress, subject, method, host: uri.host, port: uri.port, path: uri.path };
}

function ruleTest({ from, destination, when }: z.output<typeof rule>): Test {
  return all([
    from && any(from.map(fromTest)),
    destination && any(destination.map(destinationTest)),
    when && ((exchange) => when.read(exchange, null) === true),
  ]);
}

function fromTest({ ip, certificate }: z.output<typeof from>): Test {
  const inList = ip && networkTest(ip.list);
  return all([
    inList && ((exchange) => inList(exchange.remoteAddress)),
    certificate && (({ client }) => isNamed(client.certificates[0], certificate.subjectDNs)),
  ]);
}

function isNamed(leaf: X509Certificate | undefined, names: readonly Pattern[]): boolean {
  if (leaf === undefined) return false;
  const subject = subjectName(leaf);
  return names.some((name) => name.matches(subject));
}

function destinationTest({ hosts, ports, methods, paths, when }: z.output<typeof destination>): Test {
  return all([
    methods && (({ request }) => methods.includes(request.method)),
    ports && (({ request }) => ports.some(({ first, last }) => first <= request.uri.port && request.uri.port <= last)),
    hosts && (({ request }) => hosts.some((one) => one.matches(request.uri.host))),
    paths && (({ request }) => paths.some((one) => one.matches(request.uri.path))),
    when && ((exchange) => when.read(exchange, null) === true),
  ]);
}

/** True when every test that is there is. */
function all(tests: readonly (Test | undefined)[]): Test {
  const given = tests.filter((test) => test !== undefined);
  if (given.length === 1) return given[0]!;
  return (exchange) => given.every((test) => test(exchange));
}

function any(tests: readonly Test[]): Test {
  if (tests.length === 1) return tests[0]!;
  return (exchange) => tests.some((test) => test(exchange));
}
