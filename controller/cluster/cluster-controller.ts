import { credentials } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { GROUP } from '../../contract/resources/resource.ts';
import { errorStack } from '../../platform/error-text.ts';
import type { ControllerAdminSource } from '../admin/controller-admin.ts';
import { dumpText } from '../admin/dump-text.ts';
import { compilerJudge } from '../admission/compiler-judge.ts';
import type { CertificateAuthority } from '../certificates/certificate-authority.ts';
import { ServingCertificates } from '../certificates/serving-certificates.ts';
import type { Compilation } from '../compile/compiler.ts';
import { type ClusterCompilation, LiveCluster } from '../live-cluster.ts';
import { ControllerMetrics } from '../metrics/controller-metrics.ts';
import { type MergedRoute, MergedRoutes } from '../metrics/merged-routes.ts';
import { ChannelServer } from '../publish/channel/channel-server.ts';
import { EVERYBODY } from '../publish/channel/group-grants.ts';
import { firstToKnow } from '../publish/channel/plane-authentication.ts';
import type { ServingCertificate } from '../publish/channel/serving-credentials.ts';
import { PeerForwarder } from '../publish/peers/peer-forwarder.ts';
import { PEER_METHOD, PEER_PLANES_METHOD } from '../publish/peers/peer-messages.ts';
import { PeerService } from '../publish/peers/peer-service.ts';
import type { PeerStreamOptions } from '../publish/peers/peer-stream.ts';
import { PlaneLedger } from '../publish/plane-ledger.ts';
import { planeState } from '../publish/plane-state.ts';
import { RoutePlanes } from '../publish/route-planes.ts';
import { cutOffNote, readCutOffNote } from '../publish/sessions/cut-off-planes.ts';
import { PlaneSessions } from '../publish/sessions/plane-sessions.ts';
import { ApiContact } from './api/api-contact.ts';
import { untilReachable } from './api/until-reachable.ts';
import { ClusterBase } from './base/cluster-base.ts';
import type { ClusterControllerOptions, ControllerAddresses } from './cluster-controller-options.ts';
import { ClusterSource } from './cluster-source.ts';
import { ControllerFronts } from './controller-fronts.ts';
import { LeaseElection } from './identity/lease-election.ts';
import { isPeerToken, peerToken } from './identity/peer-token.ts';
import { PlaneReview } from './identity/plane-review.ts';
import { SharedAuthority } from './identity/shared-authority.ts';
import { PacedWarning } from './paced-warning.ts';
import { servingPods } from './serving-pods.ts';
import { ControllerStatus } from './status/controller-status.ts';
import { EventRecorder } from './status/event-recorder.ts';
import { StatusWriter } from './status/status-writer.ts';
import { toldFailures } from './told-failures.ts';

/** Annotation of the Lease in which a leader names planes that no controller reaches and that may take requests. */
const CUT_OFF_PLANES = `${GROUP}/planes-without-controller`;

/** A controller of a cluster: everything that it is made of, put together. */
export class ClusterController {
  private readonly options: ClusterControllerOptions;
  private readonly log: Logger;
  private readonly authority: SharedAuthority;
  private readonly serving: ServingCertificates | null;
  private readonly source: ClusterSource;
  private readonly live: LiveCluster;
  private readonly base: ClusterBase;
  private readonly sessions: PlaneSessions;
  private readonly ledger: PlaneLedger;
  private readonly routePlanes: RoutePlanes;
  private readonly review: PlaneReview;
  private readonly channel: ChannelServer;
  private readonly peers: PeerService;
  private readonly forwarder: PeerForwarder;
  private readonly report: ControllerStatus;
  private readonly status: StatusWriter;
  private readonly events: EventRecorder;
  private readonly metrics: ControllerMetrics;
  private readonly merged = new MergedRoutes();
  private readonly fronts: ControllerFronts;
  private readonly contact: ApiContact;
  private election: LeaseElection | null = null;
  private newest: Compilation | null = null;
  private isListed = false;

  /** @throws ApiError, and Error when there is no authority to be had */
  static async open(options: ClusterControllerOptions): Promise<ClusterController> {
    let controller: ClusterController | null = null;
    const shared = {
      api: options.api,
      namespace: options.namespace,
      secret: options.shared.secret,
      configMap: options.shared.configMap,
      isLeader: () => controller?.election?.isLeader === true,
      changed: (next: CertificateAuthority) => controller?.authorityChanged(next),
      failed: (message: string) => options.log.warn({ error: message }, 'CA check failed, retrying'),
    };
    const authority = await untilReachable(() => SharedAuthority.open(shared), options.log);
    controller = new ClusterController(options, authority);
    return controller;
  }

  private constructor(options: ClusterControllerOptions, authority: SharedAuthority) {
    this.options = options;
    const { api, log, name, namespace } = options;
    const base = { namespace, name: options.base };
    this.log = log;
    this.authority = authority;
    this.serving =
      options.certificates !== null
        ? null
        : new ServingCertificates({
            authority: authority.authority,
            names: options.serverNames,
            renewed: () => this.renewCertificates(),
          });
    this.source = new ClusterSource({
      api,
      namespaces: options.namespaces,
      base,
      platform: { server: api.server, controller: { namespace, pod: name } },
      changed: (isStatusOnly) => this.live.changed(isStatusOnly),
      failed: toldFailures(log),
    });
    this.ledger = new PlaneLedger({
      serves: servingPods(api),
      changed: (routes) => {
        if (routes === null) this.routePlanes.forget();
        this.status.planesChanged(routes);
      },
    });
    this.routePlanes = new RoutePlanes(this.ledger);
    this.metrics = new ControllerMetrics({
      isLeader: () => this.election?.isLeader === true,
      revision: () => this.newest?.snapshot?.revision ?? null,
      planeStates: () =>
        this.ledger.planes.map((facts) =>
          planeState(facts, this.ledger.isConnected(facts.identity.id), this.sessions.revisionFor(facts.identity)),
        ),
      streams: () => this.sessions.facts.length,
      reflectors: () => this.source.facts,
      now: () => Date.now(),
    });
    options.showRoutes(this.metrics.registry, () => this.routeFigures());
    this.events = new EventRecorder({
      api,
      controller: name,
      recorded: (outcome) => this.metrics.eventRecorded(outcome),
    });
    this.status = new StatusWriter({
      api,
      planes: this.routePlanes,
      leadsFor: () => this.election?.leadsFor ?? 0,
      stateChanged: (resource, change) => this.events.record(resource, change),
      wrote: (kind, outcome) => this.metrics.statusWritten(kind, outcome),
    });
    const peer: PeerStreamOptions = {
      credentials: () => credentials.createSsl(Buffer.from(this.trusted)),
      ...(options.serverNames[0] === undefined
        ? {}
        : { channelOptions: { 'grpc.ssl_target_name_override': options.serverNames[0] } }),
      token: () => peerToken(this.authority.authority.serialised(), Date.now()),
    };
    this.forwarder = new PeerForwarder({
      ...peer,
      controller: name,
      told: (message) => log.info(message),
    });
    this.sessions = new PlaneSessions({
      controller: name,
      authorities: () => this.trusted,
      ...(options.sessionSettings === undefined ? {} : { settings: options.sessionSettings }),
      listener: {
        connected: (facts) => {
          log.info({ plane: facts.identity.name, group: facts.identity.group }, 'data plane connected');
          this.ledger.heard(facts, null);
          this.forwarder.heard(facts, null);
          this.recall();
        },
        changed: (facts, routes) => {
          this.ledger.heard(facts, routes);
          this.forwarder.heard(facts, routes);
        },
        acknowledged: (_, milliseconds) => this.metrics.acknowledged(milliseconds),
        nacked: (facts, problems) => {
          this.metrics.refused(problems);
          log.warn({ plane: facts.identity.name, problems: problems.length }, 'data plane rejected part of the update');
        },
        closed: (facts, reason) => {
          log.info({ plane: facts.identity.name, reason }, 'data plane disconnected');
          this.ledger.left(facts.identity.id, name);
          this.forwarder.left(facts.identity.id);
        },
      },
    });
    this.report = new ControllerStatus({
      ...{ controller: name, source: this.source, ledger: this.ledger, sessions: this.sessions, peer },
      election: () => this.election,
      newest: () => this.newest,
      isListed: () => this.isListed,
      followers: () => this.peers.controllers,
      baseProblems: () => this.base.news.errors,
    });
    this.base = new ClusterBase({
      ...{ ...options, base },
      isLeader: () => this.election?.isLeader === true,
      record: (subject, change) => this.events.record(subject, change),
    });
    this.live = new LiveCluster({
      source: this.source,
      compiler: options.compiler,
      begin: this.base.lastGood(),
      compiled: (made) => this.compiled(made),
      failed: (error) =>
        this.log.error({ error: String(error) }, 'compilation failed; data planes keep their configuration'),
    });
    this.fronts = new ControllerFronts({
      api,
      log,
      metrics: this.metrics,
      source: this.adminSource,
      judge: { judge: (request) => (this.isListed ? compilerJudge(options.compiler).judge(request) : null) },
      baseJudge: this.base.judge,
      isInPod: options.isInPod,
      advertise: options.advertise,
      certificate: () => this.certificate,
      authorities: () => this.trusted,
      isLeader: () => this.election?.isLeader === true,
    });
    this.contact = new ApiContact({
      answeredAt: () => api.answeredAt,
      changed: (isLost) => {
        if (isLost) log.warn('lost contact with the API server; data planes asked to reconnect to another controller');
        else log.info('contact with the API server restored');
        this.sessions.setInTouch(!isLost);
      },
    });
    this.review = new PlaneReview({ api, groups: [] });
    this.peers = new PeerService({
      controller: name,
      ledger: this.ledger,
      planes: () => this.report.own().planes,
      isLeader: () => this.election?.isLeader === true,
      told: (message) => log.info(message),
      authenticate: async (token) => isPeerToken(token, this.authority.authority.serialised(), Date.now()),
    });
    const refusals = new PacedWarning(log, 'connection of a data plane rejected');
    this.channel = new ChannelServer({
      ...options.channel,
      tls: this.certificate,
      authenticator: firstToKnow([...options.authenticators, this.review]),
      sessions: this.sessions,
      methods: {
        [PEER_METHOD]: this.peers.handlers.forward,
        [PEER_PLANES_METHOD]: this.peers.handlers.planes,
      },
      refused: (reason, peer) => refusals.give({ peer, reason }),
    });
  }

  /** Starts everything. Nothing is sent to planes before all kinds have been listed once. */
  async start(): Promise<ControllerAddresses> {
    const { options } = this;
    const channel = await this.channel.listen();
    if (options.adminSocket !== null) await this.fronts.openAdminSocket(options.adminSocket);
    const addresses = {
      channel,
      admin: options.admin && (await this.fronts.openAdmin(options.admin)),
      secureAdmin: options.secureAdmin && (await this.fronts.openSecureAdmin(options.secureAdmin)),
      webhook: options.webhook && (await this.fronts.openWebhook(options.webhook)),
    };
    this.election = new LeaseElection({
      api: options.api,
      namespace: options.namespace,
      name: options.shared.lease,
      identity: { name: options.name, address: `${options.advertise}:${channel}` },
      ...options.lease,
      note: {
        annotation: CUT_OFF_PLANES,
        write: () => cutOffNote(this.ledger.planes),
        read: (text) => this.ledger.remember(readCutOffNote(text)),
      },
      changed: ({ isLeader, leader }) => this.leaderChanged(isLeader, leader?.address ?? null, leader?.name ?? null),
      failed: (message) => this.log.warn({ error: message }, 'lease renewal failed, retrying'),
    });
    this.source.start();
    void this.live.start();
    void this.source.synced.then(() => {
      this.isListed = true;
      this.log.info('initial list complete');
    });
    this.election.start();
    this.contact.start();
    return addresses;
  }

  /** Gives the Lease back, tells planes to go elsewhere, and ends. */
  async close(): Promise<void> {
    this.contact.close();
    this.live.close();
    this.base.close();
    this.status.close();
    await this.election?.close();
    this.forwarder.close();
    this.peers.disband();
    await this.channel.close();
    this.ledger.close();
    this.events.close();
    this.authority.close();
    this.serving?.close();
    await this.fronts.close();
    await this.source.close();
  }

  // ---- what happens

  private compiled({ compilation, published, took, base }: ClusterCompilation): void {
    this.newest = compilation;
    this.metrics.compiled(took);
    const { resources } = compilation;
    if (resources === undefined) return;
    if (resources.trust !== null) this.review.useGroups(resources.trust.groups); // no plane any more: nothing comes next
    if (published !== null) {
      const isRegrouped = this.routePlanes.regroup(published.defaultGroup, published.grants ?? EVERYBODY);
      if (isRegrouped) this.status.planesChanged(null);
      this.sessions.publish(published);
    }
    // planes have got what there is to run, which no report may undo
    this.reported('base configuration problems', () => this.base.compiled(compilation, base.source));
    this.reported('statuses', () => this.status.judged(resources.verdicts, this.base.news.note));
    this.recall();
  }

  private reported(what: string, report: () => void): void {
    try {
      report();
    } catch (error) {
      this.log.error({ error: errorStack(error) }, `could not report ${what}`);
    }
  }

  /** Asks planes for what is only remembered here. */
  private recall(): void {
    for (const { router, id, hash } of this.newest?.resources?.remembered ?? []) {
      const asked = this.sessions.recall({ router, id }, hash);
      const taken = asked.then((entry) => entry !== null && this.live.recalled([entry]));
      taken.catch((error: unknown) =>
        this.log.error({ route: id, error: String(error) }, 'could not fetch a route back from a data plane'),
      );
    }
  }

  private leaderChanged(isLeader: boolean, address: string | null, name: string | null): void {
    this.log.info(
      { isLeader, leader: name },
      isLeader ? 'this controller is the leader' : name === null ? 'no leader' : 'another controller is the leader',
    );
    this.status.setLeading(isLeader);
    this.forwarder.follow(isLeader ? null : address);
    if (isLeader) {
      void this.authority.check();
      this.base.lead();
      this.fronts.register();
    } else {
      this.peers.disband();
      this.merged.clear();
    }
  }

  private authorityChanged(authority: CertificateAuthority): void {
    this.log.info('CA certificate rotated');
    this.serving?.take(authority);
    this.fronts.register();
  }

  private renewCertificates(): void {
    this.channel.renew(this.certificate);
    this.fronts.renew();
  }

  // ---- what it shows

  private get certificate(): ServingCertificate {
    const { certificates, planeAuthorities } = this.options;
    const { certificate, key } = certificates ?? this.serving!.current;
    return { certificate, key, clientAuthorities: planeAuthorities };
  }

  /** The authorities of controllers, in PEM. */
  private get trusted(): string {
    return this.options.certificates?.authority ?? this.authority.authority.bundle();
  }

  /** Of all planes: only the leader hears of all, and those of a follower would be counted twice. */
  private routeFigures(): readonly MergedRoute[] {
    if (this.election?.isLeader !== true) return [];
    this.merged.follow(this.ledger.planes);
    return this.merged.series();
  }

  private get adminSource(): ControllerAdminSource {
    const { options } = this;
    return {
      registry: this.metrics.registry,
      waitsFor: () => this.report.waitsFor(),
      status: () => this.report.all(),
      dump: () => dumpText(this.newest?.snapshot ?? null, this.newest?.resources?.verdicts ?? []),
      monitoring: (id, query) => options.monitoring(this.routeFigures(), id, query),
    };
  }
}
