import { z } from 'zod';

const hostPattern = /^(?:\*|(?:\*\.)?(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*)$/;

const tenant = z.strictObject({
  name: z.string().min(1).describe('Name of the tenant, unique.'),
  namespaces: z
    .array(z.string().min(1))
    .min(1)
    .describe('Namespaces whose Routes belong to this tenant; "*" for all namespaces of no other tenant.'),
  hosts: z
    .array(z.string().toLowerCase().regex(hostPattern, { error: 'must be a host, *.host or *' }))
    .min(1)
    .describe(
      'Hosts whose requests belong to this tenant. An exact host wins over a wildcard, and a wildcard over "*".',
    ),
});

const group = z.strictObject({
  name: z.string().min(1).describe('Name of the group.'),
  serviceAccounts: z
    .array(z.string().regex(/^[a-z0-9-]+\/(?:\*|[a-z0-9.-]+)$/, { error: 'must be NAMESPACE/NAME or NAMESPACE/*' }))
    .default([])
    .describe(
      'ServiceAccounts, as NAMESPACE/NAME, whose Pods are data planes of this group. A group of sidecars may also ' +
        'list NAMESPACE/*: every ServiceAccount of the namespace that no group lists by name.',
    ),
  sidecars: z
    .boolean()
    .default(false)
    .describe('Whether its data planes are sidecars, which serve only Routes of their own namespace that select them.'),
  tenants: z
    .exactOptional(z.array(z.string()).min(1))
    .describe(
      'Names of the tenants whose Routes its data planes serve; by default all. Routes of other tenants are not ' +
        'served, even if they select the group.',
    ),
  addresses: z
    .exactOptional(z.array(z.string().min(1).max(253)).max(16))
    .describe(
      'Addresses or host names under which clients reach the group, for the status of Routes; by default those of its ' +
        'Services in the namespace of the controllers.',
    ),
});

/** Every field of `trust.json`: whom an operator trusts with what. */
export const trustSettings = z.strictObject({
  tenants: z
    .array(tenant)
    .default([{ name: 'default', namespaces: ['*'], hosts: ['*'] }])
    .describe('Tenants with their namespaces and hosts; by default one tenant has all.'),
  egress: z
    .array(z.string())
    .default([])
    .describe(
      "Addresses or networks, with or without a port, that tenants' Routes may connect to although the default " +
        'rule forbids them, such as 127.0.0.1:8080 or 169.254.20.0/24.',
    ),
  externalNames: z
    .array(z.string().toLowerCase().regex(hostPattern, { error: 'must be a host, *.host or *' }))
    .default([])
    .describe(
      'External names of Services of type ExternalName that Routes may send requests to, such as db.example.com or ' +
        '*.example.com; by default none.',
    ),
  tokens: z.record(z.string(), z.string()).default({}).describe("Values that tenants' documents may use as &{name}."),
  sharedObjects: z
    .array(z.string())
    .default([])
    .describe('Names of objects of config.json that tenants may refer to although they contain secrets.'),
  auditQueueBytes: z
    .exactOptional(
      z
        .int()
        .min(1 << 20)
        .max(2 ** 40),
    )
    .describe(
      'Maximum memory in bytes for audit events of one tenant that wait in queues on a data plane; 64 MiB by default. ' +
        'All tenants together get four times as much.',
    ),
  onInvalid: z
    .enum(['KeepLastGood', 'Refuse'])
    .default('KeepLastGood')
    .describe('Default of spec.onInvalid of Routes.'),
  groups: z
    .array(group)
    .default([{ name: 'default', serviceAccounts: [], sidecars: false }])
    .describe('Groups of data planes; the first group serves Routes without dataPlanes.'),
});

export type TrustSettings = z.infer<typeof trustSettings>;
