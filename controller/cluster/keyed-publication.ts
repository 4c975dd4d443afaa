import type { Logger } from 'pino';
import type { ServiceEndpoints } from '../../contract/snapshot.ts';
import { groupSessionKeys } from '../publish/group-session-keys.ts';
import type { PublishedState } from '../publish/published-state.ts';
import type { PlaneSessions } from '../publish/sessions/plane-sessions.ts';
import { untilReachable } from './api/until-reachable.ts';
import { SharedSessionKeys, type SharedSessionKeysOptions } from './identity/shared-session-keys.ts';
import { consoleKeys } from './sign-in/console-sealing.ts';

export interface KeyedPublicationOptions
  extends Pick<SharedSessionKeysOptions, 'api' | 'namespace' | 'secret' | 'isLeader'> {
  readonly log: Logger;
}

/** What data planes get a state through. */
type Planes = Pick<PlaneSessions, 'publish'>;

const NO_KEYS =
  'session keys cannot be read or written, retrying; new data planes keep default sessions in memory and do not share them';

/** Publishes states to data planes with session keys and endpoints of Services, and again when one of them changes. */
export class KeyedPublication {
  private readonly keys: SharedSessionKeys;
  private services: ReadonlyMap<string, ServiceEndpoints> = new Map();
  private last: { readonly planes: Planes; readonly state: PublishedState } | null = null;

  private constructor({ log, ...options }: KeyedPublicationOptions) {
    this.keys = new SharedSessionKeys({
      ...options,
      changed: () => {
        log.info('session keys changed');
        this.publishAgain();
      },
      lost: (reason) => log.warn({ reason }, 'new session keys created; sessions of clients have ended'),
      failed: (reason) => log.warn({ reason }, NO_KEYS),
    });
  }

  /** Waits for the API server. Rights that are missing stop nothing. */
  static async open(options: KeyedPublicationOptions): Promise<KeyedPublication> {
    const publication = new KeyedPublication(options);
    await untilReachable(() => publication.keys.open(), options.log);
    return publication;
  }

  /** Why the keys cannot be read or written; null when they can. */
  get keysFault(): string | null {
    return this.keys.fault;
  }

  /** Keys of console sessions, the one to seal with first; none while the Secret cannot be read. */
  get consoleKeys(): readonly string[] {
    return consoleKeys(this.keys.secrets?.secrets ?? []);
  }

  publish(planes: Planes, state: PublishedState): void {
    this.last = { planes, state };
    const { secrets: keys } = this.keys;
    const { services } = this;
    const own = keys === null ? {} : { sessionKeys: groupSessionKeys(keys.secrets, keys.source) };
    planes.publish({ ...state, ...own, services });
  }

  /** Services have these endpoints from now on. */
  readonly endpointsChanged = (services: ReadonlyMap<string, ServiceEndpoints>): void => {
    this.services = services;
    this.publishAgain();
  };

  private publishAgain(): void {
    if (this.last !== null) this.publish(this.last.planes, this.last.state);
  }

  /** This controller leads from now on. */
  lead(): void {
    void this.keys.check();
  }

  close(): void {
    this.keys.close();
  }
}
