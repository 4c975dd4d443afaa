import { z } from 'zod';
import { ValueProblem } from '../problem.ts';
import { choice, readConfigured, text } from '../vocabulary/configured.ts';
import { leaf } from '../vocabulary/leaf.ts';

/** A Service of the cluster that a document sends requests to. */
export interface ServiceUse {
  readonly name: string;
  /** By default that of the Route. */
  readonly namespace?: string | undefined;
  /** Its number or name in the Service. */
  readonly port: number | string;
}

/** Annotation of a Service that names the namespaces whose Routes may use it: separated by commas, or `*`. */
export const SERVICE_GRANT = 'gatewarden.io/allowed-namespaces';

/** Endpoints of a Service that each Backends uses: a hostile Service must not fill the memory of data planes. */
export const MOST_USED_ENDPOINTS = 1000;

/** Names of Services, namespaces and ports as Kubernetes has them. */
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const PORT_NAME = /^(?=.*[a-z])[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

const label = () => text().refine((name) => LABEL.test(name), 'is not a name of Kubernetes, such as orders');

const PORT = { anyOf: [{ type: 'integer', minimum: 1, maximum: 65_535 }, { type: 'string' }] };
const port = leaf('configuration expression<number or string>', PORT, (given) => readConfigured(given, readPort));

/** The fields by which a document names a Service. */
export const serviceFields = z.strictObject({
  name: label().describe('Name of the Service.'),
  namespace: label()
    .optional()
    .describe(
      'Namespace of the Service, by default that of the Route. A Service of another namespace must allow it with the ' +
        'annotation `gatewarden.io/allowed-namespaces`.',
    ),
  port: port.describe(
    'Port of the Service, by its number or its name. Requests go to the `targetPort` of each endpoint.',
  ),
  scheme: choice(['http', 'https'])
    .default('http')
    .describe('Protocol of the endpoints. With `https`, certificates must have `serverName`.'),
});

/** The text by which a document names a Service: `orders` or `shop/orders`. */
export function serviceText({ name, namespace }: Pick<ServiceUse, 'name' | 'namespace'>): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The name under which a route lists the resource with the endpoints of a Service. No object can have it. */
export function serviceLendName(use: Pick<ServiceUse, 'name' | 'namespace'>): string {
  return `Service ${serviceText(use)}`;
}

/** The key of the resource with the endpoints of a Service. @param key `namespace/name` */
export function serviceResourceKey(key: string): string {
  return `Service/${key}`;
}

/** True if a key of a shared resource is that of a Service. */
export function isServiceKey(key: string): boolean {
  return key.startsWith('Service/');
}

function readPort(value: unknown): number | string {
  if (value === undefined) throw new ValueProblem('missing', 'is required');
  const given = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= 65_535) return given;
  if (typeof given === 'string' && PORT_NAME.test(given)) return given;
  throw new ValueProblem('value', 'must be a port number from 1 to 65535, or the name of a port');
}
