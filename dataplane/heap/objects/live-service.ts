import type { ServiceEndpoints } from '../../../contract/snapshot.ts';

/** Endpoints of a Service of the cluster, as controllers send them. */
export interface LiveService {
  readonly namespace: string;
  readonly name: string;
  /** Null before a controller has sent them. */
  readonly endpoints: ServiceEndpoints | null;
  /** Zone of this data plane; null where it is not known. */
  readonly zone: string | null;
  /** Calls back when they have changed. The result ends it. */
  follow(changed: () => void): () => void;
}
