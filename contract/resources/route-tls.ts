import { z } from 'zod';
import { textOfForm } from './resource-rule.ts';

const HOST = '^([*][.])?[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?([.][a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$';
const OBJECT_NAME = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';

const certificate = z.strictObject({
  hosts: z
    .array(textOfForm(HOST, 'must be a host in lower case, or one with *. before it', 253))
    .min(1)
    .max(64)
    .meta({ listType: 'set' })
    .describe(
      'Hosts that the certificate is shown for. Each must belong to the tenant and be a name of the certificate. ' +
        '*.example.com stands for hosts with one more label.',
    ),
  secretName: textOfForm(OBJECT_NAME, 'must be the name of a Secret', 253).describe(
    'Name of a Secret of the type kubernetes.io/tls of the same namespace that has the label ' +
      'gatewarden.io/secret-store: allowed.',
  ),
});

/** Schema of `Route.spec.tls`, which has the form that an Ingress has for it. */
export const routeTls = z.array(certificate).max(16).meta({ listType: 'atomic' });

export type RouteTls = z.infer<typeof routeTls>;
