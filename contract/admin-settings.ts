import { z } from 'zod';
import type { Problem } from './problem.ts';
import { vertxOptions, vertxServerOptions } from './vertx-options.ts';
import { choice, flag, integer, text } from './vocabulary/configured.ts';
import { noEffect, unavailable } from './vocabulary/field-notes.ts';

const connector = z.strictObject({
  port: integer({ min: 1, max: 65_535 }).describe('Port to accept clients on.'),
  tls: unavailable('ServerTlsOptions reference'),
  vertx: vertxServerOptions.optional().describe('What clients are held to.'),
});

/** Every field of `admin.json`. */
export const adminSettings = z.strictObject({
  heap: z
    .array(z.unknown())
    .default([])
    .describe('Objects for this file only; config.json and routes do not see them.'),
  connectors: z
    .array(connector)
    .min(1)
    .check(onlyOne)
    .optional()
    .describe('Where clients are accepted; by default port 8080 of every interface.'),
  vertx: vertxOptions.optional().describe('Options of the runtime.'),
  gatewayUnits: integer({ min: 1, max: 9999 }).optional().describe('Number of event loops; by default one per core.'),
  mode: choice(['PRODUCTION', 'DEVELOPMENT', 'EVALUATION'])
    .default('PRODUCTION')
    .describe('Who may manage routes over HTTP; this version lets nobody.'),
  prefix: z
    .pipe(text(), z.string().regex(/^[\w.~-]+(?:\/[\w.~-]+)*$/, { error: 'must be a path without slashes around it' }))
    .default('openig')
    .describe('Administrative base path, which no client reaches.'),
  properties: z.unknown().optional().describe('Names for values, usable in this file.'),
  secrets: unavailable('deprecated SecretStore references'),
  session: unavailable('settings of the session cookie'),
  streamingEnabled: flag().default(true).describe('Bodies are always streamed unless something reads them.'),
  temporaryDirectory: text().optional().describe('Directory for temporary files; by default `tmp` of the instance.'),
  temporaryStorage: noEffect(
    z.unknown(),
    'bodies are streamed, and objects that keep one use the TemporaryStorage of config.json',
  ),
  pidFileMode: noEffect(choice(['fail', 'override']), 'no file with a process id is written'),
  preserveOriginalQueryString: flag().default(true).describe('Queries always pass as they came.'),
  maxBodyLength: integer({ min: 1 }).optional().describe('Longest request body in bytes; by default any.'),
  adminMaxBodyLength: noEffect(integer({ min: 0 }), 'the admin port reads no bodies'),
  adminConnector: unavailable('connector of the admin port'),
  openTelemetry: unavailable('settings of OpenTelemetry'),
  auditService: unavailable('AuditService reference'),
  apiProtectionFilter: unavailable('Filter reference'),
  metricsProtectionFilter: unavailable('Filter reference'),
});

export type AdminSettings = z.infer<typeof adminSettings>;

function onlyOne(payload: z.core.ParsePayload<readonly unknown[]>): void {
  if (payload.value.length < 2) return;
  const message = 'a second connector is known, but not available in this version';
  payload.issues.push({
    code: 'custom',
    message,
    input: payload.value,
    path: [1],
    params: { code: 'unavailable-field' },
  });
}

/** What the writer of these settings should know: values that ask for less than is always done. */
export function adminRemarks({ streamingEnabled, preserveOriginalQueryString, mode }: AdminSettings): Problem[] {
  const remark = (field: string, why: string): Problem => ({
    code: 'no-effect',
    severity: 'warning',
    path: [field],
    message: `has no effect: ${why}`,
  });
  return [
    ...(streamingEnabled ? [] : [remark('streamingEnabled', 'bodies are streamed unless something reads them')]),
    ...(preserveOriginalQueryString
      ? []
      : [remark('preserveOriginalQueryString', 'queries pass as they came and are never encoded anew')]),
    ...(mode === 'PRODUCTION' ? [] : [remark('mode', 'routes cannot be managed over HTTP in this version')]),
  ];
}
