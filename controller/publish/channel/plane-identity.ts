/** Identity of a data plane, by its credential. */
export interface PlaneIdentity {
  /** Tells planes apart: the uid of the Pod, or group and name of a plane outside of a cluster. */
  readonly id: string;
  /** For people: the name of the Pod. */
  readonly name: string;
  readonly group: string;
  /** Null for a plane outside of a cluster. */
  readonly namespace: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** A sidecar serves Routes of its own namespace that select it explicitly, and nothing else. */
  readonly isSidecar: boolean;
  /** When its credential ends, in milliseconds since 1970; null for never. */
  readonly until: number | null;
}
