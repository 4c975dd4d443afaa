import { z } from 'zod';

/** Content of a Lease about its holder. */
export interface LeaseRecord {
  readonly resourceVersion: string;
  /** Empty when it was given back. */
  readonly holder: string;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  /** In milliseconds. */
  readonly duration: number;
  readonly transitions: number;
  /** Everything else of the object, which is written back as it was. */
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}

const lease = z.looseObject({
  metadata: z.looseObject({
    resourceVersion: z.string(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z
    .looseObject({
      holderIdentity: z.string().nullish(),
      acquireTime: z.string().nullish(),
      renewTime: z.string().nullish(),
      leaseDurationSeconds: z.number().nullish(),
      leaseTransitions: z.number().nullish(),
    })
    .optional(),
});

/** Reads a Lease as the API shows it; null when it is none. */
export function readLease(content: unknown): LeaseRecord | null {
  const read = lease.safeParse(content);
  if (!read.success) return null;
  const { metadata, spec } = read.data;
  return {
    resourceVersion: metadata.resourceVersion,
    holder: spec?.holderIdentity ?? '',
    acquireTime: spec?.acquireTime ?? undefined,
    renewTime: spec?.renewTime ?? undefined,
    duration: (spec?.leaseDurationSeconds ?? 0) * 1000,
    transitions: spec?.leaseTransitions ?? 0,
    metadata,
  };
}

/** A Lease as it is sent; with a resourceVersion in its metadata it is taken only if nobody wrote in between. */
export function leaseBody(metadata: object, record: Omit<LeaseRecord, 'metadata' | 'resourceVersion'>): object {
  const { holder, acquireTime, renewTime, duration, transitions } = record;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(duration / 1000)),
      leaseTransitions: transitions,
      acquireTime,
      renewTime,
    },
  };
}

/** A time as Leases and Events have it: with microseconds. */
export function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/(\.\d{3})Z$/, '$1000Z');
}
