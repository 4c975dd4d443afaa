import { z } from 'zod';
import type { Duration } from '../../../contract/duration.ts';
import { serviceFields } from '../../../contract/resources/service-reference.ts';
import { choice, duration, flag, integer, text, url } from '../../../contract/vocabulary/configured.ts';
import { exclusive, oneRequired } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import { type RuntimeExpression, refuseConstantKey, runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { isHost } from '../../engine/head/host-syntax.ts';
import { Uri } from '../../engine/message/uri.ts';
import { affinityFields } from './affinity-cookie.ts';
import { balancingHint } from './balancing-names.ts';
import { endpointKey } from './endpoint-spec.ts';

/** Scheme, host and port: what is more would have no effect. */
const base = () =>
  url()
    .refine((given) => given.pathname === '/' && given.search === '' && given.hash === '', {
      error: 'must end after the host and port: the path and query of requests stay as they are',
    })
    .refine((given) => given.username === '' && given.password === '', { error: 'must not have credentials' });

const endpoint = z.strictObject({
  uri: base().describe('Scheme, host and port, such as `http://10.0.0.7:8080`.'),
  weight: integer({ min: 0, max: 1000 })
    .default(1)
    .describe(
      'Share of requests in relation to the other endpoints. An endpoint of weight 0 gets only requests whose ' +
        'affinity cookie names it.',
    ),
  name: text()
    .optional()
    .describe(
      'Name that stands for the address in the affinity cookie, so that clients stay with the endpoint when its address ' +
        'changes.',
    ),
});

const passiveHealth = z
  .strictObject({
    enabled: flag().default(true).describe('Whether endpoints are ejected.'),
    consecutiveFailures: integer({ min: 1, max: 1000 })
      .default(5)
      .describe(
        'Failures in a row after which an endpoint is ejected: no connection, no response in time, a connection that ' +
          'breaks off before the response, or one of the `failureStatuses`.',
      ),
    failureRate: z
      .strictObject({
        percent: integer({ min: 1, max: 100 }).describe(
          'Share of failures at which an endpoint is ejected, in percent.',
        ),
        requests: integer({ min: 1, max: 1_000_000 })
          .default(20)
          .describe('Requests to an endpoint before its share of failures counts.'),
        window: duration({ max: '1 hour' }).prefault('10 seconds').describe('Time after which counting begins again.'),
      })
      .optional()
      .describe('Ejects an endpoint by its share of failures too.'),
    failureStatuses: z
      .array(integer({ min: 400, max: 599 }))
      .default([502, 503, 504])
      .describe(
        'Statuses of responses that count as failures. The responses themselves are passed on. The gRPC status ' +
          'UNAVAILABLE in a response without messages counts as 503.',
      ),
    ejectionTime: duration({ max: '1 day' })
      .prefault('10 seconds')
      .describe(
        'Time in which an ejected endpoint gets no requests. It doubles each time if the endpoint fails again soon after ' +
          'its return. The first failure after a return ejects it again.',
      ),
    maxEjectionTime: duration({ max: '1 day' }).prefault('5 minutes').describe('Longest time of an ejection.'),
    maxEjected: integer({ min: 0, max: 100 })
      .default(50)
      .describe('Most endpoints that are ejected at a time, in percent, rounded down.'),
  })
  .check(
    rulesAbout<{ readonly ejectionTime: Duration; readonly maxEjectionTime: Duration }>(
      ['ejectionTime', 'maxEjectionTime'],
      ({ ejectionTime, maxEjectionTime }, add) => {
        if (maxEjectionTime.milliseconds >= ejectionTime.milliseconds) return;
        add(['maxEjectionTime'], "must be at least as long as 'ejectionTime', which would have no effect", 'duration');
      },
    ),
  );

const activeHealth = z
  .strictObject({
    protocol: choice(['http', 'grpc', 'tcp'])
      .default('http')
      .describe(
        '`http` sends a GET request, `grpc` asks the health service of gRPC, and `tcp` opens a connection. Probes of ' +
          '`https` endpoints use TLS, except `tcp`.',
      ),
    path: text()
      .refine((path) => /^\/[\x21-\x22\x24-\x7e]*$/.test(path), 'is not a path')
      .optional()
      .describe('Path and query for `http`, by default `/`.'),
    host: text()
      .refine(isHost, 'is not a host')
      .optional()
      .describe('`Host` header for `http`, by default the host and port of the endpoint.'),
    expectedStatuses: z
      .array(integer({ min: 200, max: 599 }))
      .min(1)
      .optional()
      .describe('Statuses of an endpoint that can serve, for `http`; by default 200 to 299.'),
    service: text()
      .refine((name) => Buffer.byteLength(name) < 128, 'is longer than 127 bytes')
      .optional()
      .describe('Name of the service for `grpc`, by default the server as a whole.'),
    interval: duration({ max: '1 hour' })
      .prefault('10 seconds')
      .describe('Time between two probes of an endpoint, give or take a fifth. One gateway unit probes for all.'),
    timeout: duration({ max: '1 minute' }).prefault('2 seconds').describe('Time for a probe.'),
    unhealthyThreshold: integer({ min: 1, max: 100 })
      .default(3)
      .describe('Failed probes in a row after which an endpoint gets no requests.'),
    healthyThreshold: integer({ min: 1, max: 100 })
      .default(2)
      .describe('Answered probes in a row after which it gets requests again.'),
    tls: ref('tlsOptions')
      .optional()
      .describe('TLS options for probes of `https` endpoints; those of handlers do not count here.'),
  })
  .check(
    rulesAbout<Probed>(['interval'], ({ interval }, add) => {
      if (interval.milliseconds < 100) add(['interval'], 'must be at least 100 ms', 'duration');
    }),
    rulesAbout<Probed>(
      ['protocol', 'path', 'host', 'expectedStatuses', 'service', 'tls'],
      ({ protocol, path, host, expectedStatuses, service, tls }, add) => {
        if (tls !== undefined && protocol === 'tcp') add(['tls'], "has no effect with 'tcp'");
        const fields = [
          { name: 'path', value: path, wanted: 'http' },
          { name: 'host', value: host, wanted: 'http' },
          { name: 'expectedStatuses', value: expectedStatuses, wanted: 'http' },
          { name: 'service', value: service, wanted: 'grpc' },
        ];
        for (const { name, value, wanted } of fields) {
          if (value !== undefined && protocol !== wanted) add([name], `has no effect with '${protocol}'`);
        }
      },
    ),
  );

interface Probed {
  readonly protocol: string;
  readonly interval: Duration;
  readonly path?: unknown;
  readonly host?: unknown;
  readonly expectedStatuses?: unknown;
  readonly service?: unknown;
  readonly tls?: unknown;
}

/** Fields of `Backends`. */
export const backendsConfig = z
  .strictObject({
    endpoints: z
      .array(endpoint)
      .min(1)
      .max(1000)
      .optional()
      .describe('Endpoints with fixed addresses. A host name here is one endpoint, whatever it resolves to.'),
    dns: z
      .strictObject({
        uri: base().describe(
          'Scheme, host name and port. Every address of the name is an endpoint, up to 1000 of them, except link-local ' +
            'ones with a zone.',
        ),
        interval: duration({ max: '1 hour' })
          .prefault('5 seconds')
          .describe(
            'Time after which the name is resolved again, and at once after a failed connection. If it does not resolve ' +
              'any more, the last addresses stay in use.',
          ),
      })
      .optional()
      .describe('All addresses of a host name, such as that of a headless Service.'),
    service: serviceFields
      .optional()
      .describe(
        'Endpoints of a Service of the cluster, in Route resources only. A Pod that becomes ready gets requests at once, ' +
          'and one that terminates gets no more. `dns` with the name of a Service finds that out later.',
      ),
    serverName: text()
      .refine((name) => isHost(name) && !name.includes(':'), 'is not a host name')
      .optional()
      .describe(
        'Host name that `https` endpoints are asked for (SNI) and that their certificates must have. By default the host ' +
          'of the `uri`, or NAME.NAMESPACE.svc of a Service.',
      ),
    balancing: choice(['leastRequests', 'roundRobin', 'hash'], balancingHint)
      .default('leastRequests')
      .describe(
        '`leastRequests` draws two endpoints by weight and takes the one with fewer requests in this gateway unit. ' +
          '`roundRobin` takes them in turn. `hash` sends requests with the same `hashKey` to the same endpoint.',
      ),
    hashKey: runtimeText()
      .optional()
      .describe('Key of a request for `hash`. A request without a key goes by `leastRequests`.'),
    affinityCookie: affinityFields
      .optional()
      .describe(
        'Cookie that keeps a client with the endpoint that answered it first. It is a session cookie. If the endpoint is ' +
          'gone, the client gets another one. Its value is a keyed hash, so clients cannot choose an endpoint; endpoints ' +
          'do not get it. Without a controller the key ends with the process.',
      ),
    passiveHealth: passiveHealth
      .prefault({})
      .describe('Ejects endpoints whose requests fail. All gateway units of a data plane count together.'),
    activeHealth: activeHealth
      .optional()
      .describe(
        'Probes endpoints, so that requests avoid those that cannot serve. A new endpoint gets requests at once.',
      ),
    panicThreshold: integer({ min: 1, max: 100 })
      .optional()
      .describe(
        'Share of endpoints, in percent, that must be able to serve; by default 50. If fewer can, requests go to all of ' +
          'them, because the few would not stand the load.',
      ),
    slowStart: duration({ max: '1 hour' })
      .optional()
      .describe(
        'Time in which the share of an endpoint that joins the others, or returns, grows from a tenth of its weight to all of it. By ' +
          'default it gets its whole share at once.',
      ),
  })
  .check(
    oneRequired('endpoints', 'dns', 'service'),
    exclusive('endpoints', 'dns', 'service'),
    exclusive('hashKey', 'affinityCookie'),
    rulesAbout<Judged>(['balancing', 'hashKey', 'slowStart'], ({ balancing, hashKey, slowStart }, add) => {
      if (balancing === 'hash' && hashKey === undefined) add(['hashKey'], "is required: 'hash' needs it", 'missing');
      else if (balancing !== 'hash' && hashKey !== undefined) add(['hashKey'], `has no effect with '${balancing}'`);
      else refuseConstantKey(hashKey, 'hashKey', add);
      if (balancing === 'hash' && slowStart !== undefined) add(['slowStart'], "has no effect with 'hash'");
    }),
    rulesAbout<Judged>(['passiveHealth', 'activeHealth', 'panicThreshold'], (config, add) => {
      const { passiveHealth, activeHealth, panicThreshold } = config;
      if (panicThreshold === undefined || passiveHealth.enabled || activeHealth !== undefined) return;
      add(['panicThreshold'], "has no effect: 'passiveHealth' is switched off, and there is no 'activeHealth'");
    }),
    rulesAbout<Judged>(['endpoints', 'dns', 'serverName', 'activeHealth'], (config, add) => {
      const { endpoints = [], dns, serverName, activeHealth } = config;
      const uris = [...endpoints.map(({ uri }) => uri), ...(dns === undefined ? [] : [dns.uri])];
      if (uris.length === 0 || uris.some(({ protocol }) => protocol === 'https:')) return;
      const message = "has no effect: there is no 'https' endpoint";
      if (serverName !== undefined) add(['serverName'], message);
      if (activeHealth?.tls !== undefined && activeHealth.protocol !== 'tcp') add(['activeHealth', 'tls'], message);
    }),
    rulesAbout<Judged>(['endpoints', 'affinityCookie'], ({ endpoints = [], affinityCookie }, add) => {
      const known = new Set<string>();
      for (const [index, { uri }] of endpoints.entries()) {
        const key = endpointKey(baseOf(uri));
        if (known.has(key)) add(['endpoints', index, 'uri'], `is there twice: ${key}`);
        known.add(key);
      }
      const names = endpoints.map(({ name }) => name);
      for (const [index, name] of names.entries()) {
        if (name === undefined) continue;
        if (affinityCookie === undefined) add(['endpoints', index, 'name'], "has no effect without 'affinityCookie'");
        else if (names.indexOf(name) < index) add(['endpoints', index, 'name'], `is there twice: ${name}`);
      }
      if (endpoints.length > 0 && endpoints.every(({ weight }) => weight === 0)) {
        add(['endpoints'], 'must have an endpoint of a weight over 0');
      }
    }),
  );

interface Judged {
  readonly endpoints?:
    | readonly { readonly uri: URL; readonly weight: number; readonly name?: string | undefined }[]
    | undefined;
  readonly dns?: { readonly uri: URL } | undefined;
  readonly serverName?: string | undefined;
  readonly activeHealth?: { readonly protocol: string; readonly tls?: unknown } | undefined;
  readonly passiveHealth: { readonly enabled: boolean };
  readonly panicThreshold?: number | undefined;
  readonly affinityCookie?: unknown;
  readonly balancing: string;
  readonly hashKey?: RuntimeExpression<string> | undefined;
  readonly slowStart?: unknown;
}

/** Scheme, host and port in their one spelling. */
export function baseOf({ protocol, host }: URL): Uri {
  return Uri.parse(`${protocol}//${host}`);
}
