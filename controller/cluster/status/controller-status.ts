import type { ShownFigures } from '../../../contract/shown/shown-figures.ts';
import {
  type PlaneReport,
  readPlanes,
  type StatusReport,
  statusReport,
  withLeaderPlanes,
} from '../../admin/status-report.ts';
import type { Compilation } from '../../compile/compiler.ts';
import { PEER_PLANES_METHOD, PEER_ROUTES_METHOD } from '../../publish/peers/peer-messages.ts';
import { askLeader } from '../../publish/peers/peer-question.ts';
import type { PeerStreamOptions } from '../../publish/peers/peer-stream.ts';
import type { PlaneLedger } from '../../publish/plane-ledger.ts';
import type { RoutePlanes } from '../../publish/route-planes.ts';
import type { PlaneSessions } from '../../publish/sessions/plane-sessions.ts';
import type { ClusterSource } from '../cluster-source.ts';
import type { LeaseElection } from '../identity/lease-election.ts';
import { readServedRoutes, type ServedRoute, servedRoutes } from './served-routes.ts';
import { waitsFor } from './waits-for.ts';

/** Milliseconds that the leader has for a dry run: longer than its followers and their data planes. */
const QUESTION_TIMEOUT = 10_000;

/** Parts of the status of a controller. */
export interface ControllerStatusParts {
  readonly controller: string;
  readonly source: ClusterSource;
  readonly ledger: PlaneLedger;
  readonly sessions: PlaneSessions;
  readonly routePlanes: RoutePlanes;
  /** How to ask the leader. */
  readonly peer: PeerStreamOptions;
  election(): LeaseElection | null;
  newest(): Compilation | null;
  isListed(): boolean;
  followers(): readonly string[];
  baseProblems(): readonly string[];
  sessionKeysFault(): string | null;
  /** Returns the figures of routes on all planes by the texts of their keys. */
  figures(): ReadonlyMap<string, ShownFigures>;
}

/** Reports the state of a controller. */
export class ControllerStatus {
  private readonly parts: ControllerStatusParts;

  constructor(parts: ControllerStatusParts) {
    this.parts = parts;
  }

  /** What the controller waits for before it is ready; null when it is. */
  waitsFor(): string | null {
    return waitsFor(this.parts.isListed(), this.parts.newest());
  }

  /** Its own state with all planes. Only the leader hears of all, so that a follower asks it for them. */
  all(): StatusReport | Promise<StatusReport> {
    const election = this.parts.election();
    const { address } = election?.leader ?? {};
    if (election?.isLeader === true || address === undefined) return this.own();
    return withLeaderPlanes(this.own(), () => this.askLeader(PEER_PLANES_METHOD));
  }

  /** All planes. @throws Error while there is no leader, or none that answers */
  async planes(): Promise<readonly PlaneReport[]> {
    if (this.parts.election()?.isLeader === true) return this.own().planes;
    return readPlanes(await this.askLeader(PEER_PLANES_METHOD));
  }

  /** Routes on all planes. @throws Error while there is no leader, or none that answers */
  async routes(): Promise<readonly ServedRoute[]> {
    if (this.parts.election()?.isLeader === true) return this.ownRoutes();
    return readServedRoutes(await this.askLeader(PEER_ROUTES_METHOD));
  }

  /** Routes on the planes that it knows of. */
  ownRoutes(): ServedRoute[] {
    const { newest, routePlanes, figures } = this.parts;
    return servedRoutes(newest()?.resources?.verdicts ?? [], routePlanes, figures());
  }

  /** @throws Error when there is no leader, or when it does not answer */
  async askLeader(method: string, question?: Buffer): Promise<Buffer> {
    const { address } = this.parts.election()?.leader ?? {};
    if (address === undefined) throw new Error('no controller is the leader');
    const asked = question === undefined ? {} : { question, timeout: QUESTION_TIMEOUT };
    return askLeader(this.parts.peer, address, method, asked);
  }

  /** Its own state, with the planes that it knows of. */
  own(): StatusReport {
    const { controller, source, ledger, sessions } = this.parts;
    const election = this.parts.election();
    const newest = this.parts.newest();
    return statusReport({
      controller,
      leader: election?.leader ?? null,
      isLeader: election?.isLeader === true,
      waitsFor: this.waitsFor(),
      revision: newest?.snapshot?.revision ?? null,
      followers: this.parts.followers(),
      baseProblems: this.parts.baseProblems(),
      sessionKeysFault: this.parts.sessionKeysFault(),
      verdicts: newest?.resources?.verdicts ?? [],
      reflectors: source.facts,
      planes: ledger.planes,
      isConnected: (plane) => ledger.isConnected(plane),
      revisionFor: ({ identity }) => sessions.revisionFor(identity),
      now: Date.now(),
    });
  }
}
