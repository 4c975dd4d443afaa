import { z } from 'zod';
import { readJsonText } from '../../contract/document/json-text.ts';
import { problemText } from '../../contract/problem-text.ts';
import { parsePlain } from '../../contract/vocabulary/parse-config.ts';
import { SIDECAR_OPTIONS } from './sidecar-options.ts';

/** Ports that a process without rights may open, so that a sidecar runs as any user. */
const port = z.int().min(1024).max(65_535);

/** Kubernetes quantity. */
export const QUANTITY = /^\d+(?:\.\d+)?(?:m|k|[MGTPE]|[KMGTPE]i)?$/;
const quantity = z.string().regex(QUANTITY, { error: 'must be an amount such as 100m, 0.5 or 128Mi' });
const amounts = z.strictObject({ cpu: quantity.optional(), memory: quantity.optional() });

export const logLevel = z.enum(['error', 'warn', 'info', 'debug']);

/** Every field of `sidecar.json`: what is put into the Pods that get a sidecar, unless their annotations say otherwise. */
export const sidecarSettings = z.strictObject({
  image: z.string().min(1).describe('Image of the sidecar.'),
  pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent').describe('Pull policy of the image.'),
  pullSecrets: z
    .array(z.string().min(1))
    .default([])
    .describe('Names of the Secrets for pulling the image; they must exist in the namespaces of the Pods.'),
  controllers: z
    .array(z.string().regex(/^[A-Za-z0-9.-]+:\d{1,5}$/, { error: 'must be HOST:PORT' }))
    .min(1)
    .describe('Addresses of the controllers as HOST:PORT, reachable from any namespace.'),
  port: port.default(15_080).describe('Port that the sidecar accepts clients on.'),
  adminPort: port.default(15_090).describe('Port for health checks and metrics.'),
  units: z.int().min(1).max(64).default(1).describe('Number of its event loops.'),
  resources: z
    .strictObject({ requests: amounts.default({}), limits: amounts.default({}) })
    .default({ requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } })
    .describe('Resource requests and limits.'),
  logLevel: logLevel.default('info').describe('Log level.'),
  accessLog: z.boolean().default(true).describe('Whether the sidecar writes an access log.'),
  drainSeconds: z
    .int()
    .min(0)
    .max(3600)
    .default(20)
    .describe('Drain timeout: time for running requests after the application has ended.'),
  temporaryStorage: quantity.default('64Mi').describe('Maximum size of temporary files, for buffered bodies.'),
  runAsUser: z
    .int()
    .min(1)
    .nullable()
    .default(65_532)
    .describe('User id of the sidecar; null to let the cluster choose.'),
  runAsGroup: z
    .int()
    .min(0)
    .nullable()
    .default(65_532)
    .describe('Group id of the sidecar; null to let the cluster choose.'),
  extraArgs: z
    .array(z.string())
    .default([])
    .describe('Further arguments for `gatewarden dataplane`; arguments that the injector sets must not be repeated.'),
  namespaces: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'Namespaces in which sidecars are admitted; Pods of other namespaces are rejected. By default all namespaces ' +
        'are allowed.',
    ),
  excludedNamespaces: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Namespaces whose Pods never get a sidecar, in addition to those of Kubernetes and that of the controllers.',
    ),
});

export type SidecarSettings = z.infer<typeof sidecarSettings>;

/** Reads `sidecar.json`. @throws Error that says all that is wrong with it */
export function readSidecarSettings(text: string, file: string): SidecarSettings {
  const { value, problems, placeOf } = readJsonText(text);
  const source = { file, text, placeOf };
  const faults = problems.filter(({ severity }) => severity === 'error');
  if (faults.length > 0) throw new Error(faults.map((problem) => problemText(problem, source)).join('\n'));
  const read = parsePlain(sidecarSettings, value, []);
  if (read.value === undefined)
    throw new Error(read.problems.map((problem) => problemText(problem, source)).join('\n'));
  if (read.value.port === read.value.adminPort) throw new Error(`${file}: port and adminPort must differ`);
  const repeated = read.value.extraArgs.find((word) => SIDECAR_OPTIONS.some((own) => word.split('=', 1)[0] === own));
  if (repeated !== undefined) {
    // the program ends at an option that is given twice, and with it every new Pod that asks for a sidecar
    throw new Error(`${file}: extraArgs: every sidecar has ${repeated.split('=', 1)[0]} already`);
  }
  return read.value;
}
