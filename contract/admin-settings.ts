import { z } from 'zod';
import type { Problem } from './problem.ts';
import { vertxOptions, vertxServerOptions } from './vertx-options.ts';
import { choice, flag, integer, text } from './vocabulary/configured.ts';
import { unavailable } from './vocabulary/field-notes.ts';
import { ref } from './vocabulary/reference.ts';

const connector = z.strictObject({
  port: integer({ min: 1, max: 65_535 }).describe('Port to accept clients on.'),
  tls: ref('serverTlsOptions')
    .optional()
    .describe('TLS options of the connector; without them the port speaks plain HTTP.'),
  halfClose: flag()
    .optional()
    .describe(
      'Whether an HTTP/1 client that closes its side of the connection after a complete request, as `nc -N` does, ' +
        'still gets the response. By default the gateway treats it as disconnected and cancels the call to the ' +
        'backend.',
    ),
  vertx: vertxServerOptions.optional().describe('Limits for clients of this connector.'),
  missingHost: flag()
    .optional()
    .describe('Whether HTTP/1.1 and HTTP/2 requests without a host are accepted; otherwise they get 400.'),
});

/** Every field of `admin.json`. */
export const adminSettings = z.strictObject({
  heap: z
    .array(z.unknown())
    .default([])
    .describe('Objects for this file only: config.json and routes cannot use them, and this file cannot use theirs.'),
  connectors: z
    .array(connector)
    .min(1)
    .optional()
    .describe('Ports that accept clients; by default port 8080 on every interface.'),
  vertx: vertxOptions.optional().describe('Options of the runtime.'),
  gatewayUnits: integer({ min: 1, max: 9999 }).optional().describe('Number of event loops; by default one per core.'),
  mode: choice(['PRODUCTION', 'DEVELOPMENT', 'EVALUATION'])
    .default('PRODUCTION')
    .describe(
      'Access to the management of routes over HTTP: EVALUATION and DEVELOPMENT allow it from this machine, PRODUCTION ' +
        'refuses it.',
    ),
  prefix: z
    .pipe(text(), z.string().regex(/^[\w.~-]+(?:\/[\w.~-]+)*$/, { error: 'must be a path without slashes around it' }))
    .default('openig')
    .describe('Base path of administrative endpoints, which clients cannot reach.'),
  properties: z.unknown().optional().describe('Names for values, usable in this file.'),
  secrets: unavailable('deprecated SecretStore references'),
  session: unavailable('settings of the session cookie'),
  streamingEnabled: flag()
    .default(false)
    .describe(
      'Whether bodies are streamed (passed on as they arrive) or buffered completely first. A handler can override ' +
        'it with asyncBehavior.',
    ),
  temporaryDirectory: text()
    .optional()
    .describe('Directory for temporary files, made if it is missing; by default `tmp` of the instance.'),
  temporaryStorage: ref('temporaryStorage')
    .optional()
    .describe(
      'Storage for buffered content, unless an object or config.json names another one: it replaces the default ' +
        'object `TemporaryStorage`.',
    ),
  pidFileMode: choice(['fail', 'override'])
    .default('fail')
    .describe(
      'Behaviour when `tmp/gatewarden.pid` of the instance names a running process: refuse to start, or overwrite ' +
        'the file.',
    ),
  preserveOriginalQueryString: flag()
    .default(false)
    .describe(
      'Whether a query is passed on unchanged, and rejected with 400 if it contains characters that are not ' +
        'allowed. Otherwise the gateway encodes these characters.',
    ),
  maxBodyLength: integer({ min: 1 })
    .optional()
    .describe('Maximum size of a request body in bytes; unlimited by default.'),
  adminMaxBodyLength: integer({ min: 1, max: 67_108_864 })
    .default(1_048_576)
    .describe('Maximum size of a request body on the admin port in bytes.'),
  adminConnector: unavailable('connector of the admin port'),
  openTelemetry: unavailable('settings of OpenTelemetry'),
  auditService: unavailable('AuditService reference'),
  apiProtectionFilter: ref('filter')
    .optional()
    .describe(
      'Filter in front of the API on the admin port, in place of the rule that only this machine may use it; by ' +
        'default the object `ApiProtectionFilter` of the heap, if there is one.',
    ),
  metricsProtectionFilter: ref('filter')
    .optional()
    .describe(
      'Filter in front of the metrics on the admin port; by default the object `MetricsProtectionFilter` of the heap, ' +
        'if there is one.',
    ),
});

export type AdminSettings = z.infer<typeof adminSettings>;
/** `vertx` is what was given of it: what is absent need not be there. */
type Connector = Pick<z.infer<typeof connector>, 'tls'> & {
  readonly vertx?: Partial<z.infer<typeof vertxServerOptions>> | undefined;
};

/** Remarks on settings that have no effect or ask for unavailable features. */
export function adminRemarks({ connectors = [] }: AdminSettings): Problem[] {
  return connectors.flatMap((one, at) => idleOptions(one).map(([name, why]) => idle(at, name, why)));
}

/** Options of a connector that come to nothing because of what else it says, each with the reason. */
function idleOptions({ tls, vertx = {} }: Connector): readonly (readonly [name: string, why: string])[] {
  const foreign =
    tls === undefined
      ? (['useAlpn', 'alpnVersions', 'sslHandshakeTimeout'] as const)
      : (['http2ClearTextEnabled'] as const);
  const why = tls === undefined ? "it is for connectors with 'tls'" : "it is for connectors without 'tls'";
  const sizes = (['maxTotalHeadersSize', 'maxHeaderSize'] as const).filter((name) => vertx[name] !== undefined);
  const [size] = sizes;
  const isCovered = size !== undefined && vertx.initialSettings?.maxHeaderListSize !== undefined;
  return [
    ...foreign.filter((name) => vertx[name] !== undefined).map((name) => [name, why] as const),
    ...sizes.slice(1).map((name) => [name, `'${size}' wins over it`] as const),
    ...(isCovered ? [['initialSettings.maxHeaderListSize', `'${size}' wins over it`] as const] : []),
  ];
}

function idle(connector: number, name: string, why: string): Problem {
  return noEffectAt(['connectors', connector, 'vertx', ...name.split('.')], why);
}

function noEffectAt(path: Problem['path'], why: string): Problem {
  return { code: 'no-effect', severity: 'warning', path, message: `has no effect: ${why}` };
}
