import { z } from 'zod';

const hostPattern = /^(?:\*|(?:\*\.)?(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*)$/;

const tenant = z.strictObject({
  name: z.string().min(1).describe('Name of the tenant, unique.'),
  namespaces: z
    .array(z.string().min(1))
    .min(1)
    .describe('Namespaces whose Routes are this tenant\'s; "*" for those of no other tenant.'),
  hosts: z
    .array(z.string().toLowerCase().regex(hostPattern, { error: 'must be a host, *.host or *' }))
    .min(1)
    .describe('Hosts whose requests are this tenant\'s: exact ones win over wildcards, and those over "*".'),
});

const group = z.strictObject({
  name: z.string().min(1).describe('Name of the group.'),
  serviceAccounts: z
    .array(z.string().regex(/^[a-z0-9-]+\/(?:\*|[a-z0-9.-]+)$/, { error: 'must be NAMESPACE/NAME or NAMESPACE/*' }))
    .default([])
    .describe(
      'ServiceAccounts, as NAMESPACE/NAME, whose Pods are planes of this group; for sidecars also NAMESPACE/*, which ' +
        'is every ServiceAccount of the namespace that no group has by name.',
    ),
  sidecars: z
    .boolean()
    .default(false)
    .describe('Whether its planes are sidecars: they serve Routes of their namespace that select them, no others.'),
  tenants: z
    .exactOptional(z.array(z.string()).min(1))
    .describe(
      'Tenants whose Routes its planes serve, by name; by default all. Routes of others that select it are not.',
    ),
});

/** Every field of `trust.json`: whom an operator trusts with what. */
export const trustSettings = z.strictObject({
  tenants: z
    .array(tenant)
    .default([{ name: 'default', namespaces: ['*'], hosts: ['*'] }])
    .describe('Who gets which requests; by default one tenant gets all.'),
  egress: z
    .array(z.string())
    .default([])
    .describe(
      "What tenants' Routes may connect to although it is refused by default: addresses or networks, with a port or " +
        'without, such as 127.0.0.1:8080 or 169.254.20.0/24.',
    ),
  tokens: z.record(z.string(), z.string()).default({}).describe("Values that tenants' documents may name as &{name}."),
  sharedObjects: z
    .array(z.string())
    .default([])
    .describe('Objects of config.json that hold secrets and that tenants may refer to all the same, by name.'),
  onInvalid: z
    .enum(['KeepLastGood', 'Refuse'])
    .default('KeepLastGood')
    .describe('What a Route that is not sound does where it does not say so itself.'),
  groups: z
    .array(group)
    .default([{ name: 'default', serviceAccounts: [], sidecars: false }])
    .describe('Groups of planes; the first is the one that serves Routes without dataPlanes.'),
});

export type TrustSettings = z.infer<typeof trustSettings>;
