import { z } from 'zod';
import type { TrustSettings } from '../../../contract/trust-settings.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { Admission } from '../../publish/channel/admission.ts';
import {
  type GrantEnd,
  type PlaneAuthenticator,
  type PlaneGrant,
  PlaneRefused,
} from '../../publish/channel/plane-authentication.ts';
import type { PlaneIdentity } from '../../publish/channel/plane-identity.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { resourcePath } from '../api/resource-path.ts';
import { type TokenClaims, tokenClaims } from './token-claims.ts';

/** Planes ask for tokens with this audience, so that a token for something else gives nobody a stream. */
export const PLANE_AUDIENCE = 'gatewarden-controller';

type PlaneGroups = TrustSettings['groups'];

export interface PlaneReviewOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly groups: PlaneGroups;
  readonly clock?: Clock;
  /** Milliseconds between looks at the Pod of a plane; a quarter more or less. */
  readonly recheck?: number;
}

const TIMEOUT = 5_000;
const MOST_AT_A_TIME = 16;
const POD_NAME = 'authentication.kubernetes.io/pod-name';
const POD_UID = 'authentication.kubernetes.io/pod-uid';

const tokenReview = z.looseObject({
  status: z.looseObject({
    authenticated: z.boolean().default(false),
    audiences: z.array(z.string()).default([]),
    user: z
      .looseObject({ username: z.string().default(''), extra: z.record(z.string(), z.array(z.string())).default({}) })
      .optional(),
  }),
});

const pod = z.looseObject({
  metadata: z.looseObject({ uid: z.string(), labels: z.record(z.string(), z.string()).default({}) }),
  status: z.looseObject({ phase: z.string().default('') }).default({ phase: '' }),
});

interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Watch {
  readonly account: string;
  readonly identity: PlaneIdentity;
  end(reason: string, how: GrantEnd): void;
}

/**
 * Judges planes by the tokens of their ServiceAccounts: the cluster says whether a token is good and which Pod it is bound
 * to, and the groups say which accounts are planes. What a plane says of itself counts for nothing.
 */
export class PlaneReview implements PlaneAuthenticator {
  private readonly api: Pick<ApiCaller, 'call'>;
  private readonly clock: Clock;
  private readonly recheck: number;
  private readonly turns: Admission;
  private readonly watches = new Set<Watch>();
  private groups: PlaneGroups;

  constructor({ api, groups, clock = systemClock, recheck = 30_000 }: PlaneReviewOptions) {
    this.api = api;
    this.groups = groups;
    this.clock = clock;
    this.recheck = recheck;
    this.turns = new Admission({ clock, atOnce: MOST_AT_A_TIME, patience: 4 * TIMEOUT });
  }

  /** Takes other groups: planes that are no longer what they were lose their streams. */
  useGroups(groups: PlaneGroups): void {
    this.groups = groups;
    for (const { account, identity, end } of [...this.watches]) {
      const group = this.groupOf(account);
      if (group === null) end('the ServiceAccount of the data plane no longer belongs to a group', 'revoked');
      else if (group.name !== identity.group || group.sidecars !== identity.isSidecar) {
        end('the data plane belongs to another group now', 'changed');
      }
    }
  }

  async authenticate({ token }: { readonly token: string | null }): Promise<PlaneGrant | null> {
    const claims = token === null ? null : tokenClaims(token);
    // What cannot be good is not passed on: the API server has other work, and it may be somebody's secret.
    if (token === null || claims === null || !claims.audiences.includes(PLANE_AUDIENCE)) return null;
    if (claims.end !== null && claims.end <= this.clock.wall()) return null;
    const leave = await this.turns.enter(0, AbortSignal.timeout(2 * TIMEOUT));
    if (leave === null) throw new PlaneRefused('UNAVAILABLE', 'too many data planes are being authenticated');
    try {
      return await this.review(token, claims);
    } catch (error) {
      if (error instanceof PlaneRefused) throw error;
      throw new PlaneRefused('UNAVAILABLE', 'the API server could not review the token of the data plane');
    } finally {
      leave();
    }
  }

  private async review(token: string, { end: until }: TokenClaims): Promise<PlaneGrant | null> {
    const apiVersion = 'authentication.k8s.io/v1';
    const body = { apiVersion, kind: 'TokenReview', spec: { token, audiences: [PLANE_AUDIENCE] } };
    const path = `/apis/${apiVersion}/tokenreviews`;
    const answer = await this.api.call({ method: 'POST', path, body, timeout: TIMEOUT });
    const { authenticated, audiences, user } = tokenReview.parse(answer.body).status;
    if (!authenticated || !audiences.includes(PLANE_AUDIENCE) || user === undefined) return null;
    const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user.username);
    const [, namespace, name] = account ?? [];
    if (namespace === undefined || name === undefined) return null;
    const [podName, ...otherNames] = user.extra[POD_NAME] ?? [];
    const [podUid, ...otherUids] = user.extra[POD_UID] ?? [];
    if (podName === undefined || podUid === undefined || otherNames.length + otherUids.length > 0) {
      throw new PlaneRefused('PERMISSION_DENIED', 'the token is not bound to a Pod');
    }
    if (until === null) throw new PlaneRefused('PERMISSION_DENIED', 'the token never expires');
    this.groupOrRefusal(`${namespace}/${name}`); // before the Pod: in the namespaces of others it may not be looked at
    const found = await this.podOf(namespace, podName, podUid);
    if (found === null) throw new PlaneRefused('UNAUTHENTICATED', 'the Pod of the data plane no longer exists');
    return this.grant(`${namespace}/${name}`, found, until);
  }

  private grant(account: string, found: PodFacts, until: number): PlaneGrant {
    return {
      identify: () => {
        const group = this.groupOrRefusal(account);
        const { namespace, name, uid, labels } = found;
        return { id: uid, name, namespace, labels, group: group.name, isSidecar: group.sidecars, until };
      },
      watch: (identity, ended) => this.watch(account, identity, found, ended),
    };
  }

  private groupOrRefusal(account: string): PlaneGroups[number] {
    const group = this.groupOf(account);
    if (group === null)
      throw new PlaneRefused('PERMISSION_DENIED', `the ServiceAccount ${account} belongs to no group`);
    return group;
  }

  private watch(
    account: string,
    identity: PlaneIdentity,
    found: PodFacts,
    ended: (reason: string, how: GrantEnd) => void,
  ): () => void {
    let callOff = (): void => undefined;
    const stop = (): void => {
      callOff();
      this.watches.delete(watch);
    };
    const watch: Watch = {
      account,
      identity,
      end: (reason, how) => {
        stop();
        ended(reason, how);
      },
    };
    const wait = (): void => {
      const pause = this.recheck * (0.75 + Math.random() / 2);
      callOff = this.clock.after(pause, () => void look());
    };
    const look = async (): Promise<void> => {
      // Without an answer nothing is known anew: the stream goes on until the token ends.
      const now = await this.podOf(found.namespace, found.name, found.uid).catch(() => found);
      if (!this.watches.has(watch)) return;
      if (now === null) return watch.end('the Pod of the data plane no longer exists', 'revoked');
      if (!sameLabels(now.labels, found.labels))
        return watch.end("the labels of the data plane's Pod have changed", 'changed');
      wait();
    };
    this.watches.add(watch);
    wait();
    return stop;
  }

  /** The Pod as it is now; null when it is gone, has ended, or is another one of the same name. */
  private async podOf(namespace: string, name: string, uid: string): Promise<PodFacts | null> {
    const path = resourcePath({ version: 'v1', plural: 'pods', namespace, name });
    try {
      const { metadata, status } = pod.parse((await this.api.call({ method: 'GET', path, timeout: TIMEOUT })).body);
      if (metadata.uid !== uid || status.phase === 'Succeeded' || status.phase === 'Failed') return null;
      return { namespace, name, uid, labels: metadata.labels };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  /** Who is named counts before the others of a namespace. */
  private groupOf(account: string): PlaneGroups[number] | null {
    const thatLists = (entry: string) => this.groups.find(({ serviceAccounts }) => serviceAccounts.includes(entry));
    return thatLists(account) ?? thatLists(`${account.slice(0, account.indexOf('/'))}/*`) ?? null;
  }
}

function sameLabels(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
