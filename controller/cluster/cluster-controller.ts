import type { Logger } from 'pino';
import { errorStack } from '../../platform/error-text.ts';
import { PacedWarning } from '../../platform/paced-warning.ts';
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
import type { PlaneIdentity } from '../publish/channel/plane-identity.ts';
import type { ServingCertificate } from '../publish/channel/serving-credentials.ts';
import { NoticeRelay } from '../publish/notice-relay.ts';
import { PeerForwarder } from '../publish/peers/peer-forwarder.ts';
import { PeerService } from '../publish/peers/peer-service.ts';
import { PlaneLedger } from '../publish/plane-ledger.ts';
import { RoutePlanes } from '../publish/route-planes.ts';
import { cutOffNotes } from '../publish/sessions/cut-off-planes.ts';
import { PlaneSessions } from '../publish/sessions/plane-sessions.ts';
import type { SessionListener } from '../publish/sessions/session-listener.ts';
import type { ApiContact } from './api/api-contact.ts';
import { untilReachable } from './api/until-reachable.ts';
import { ClusterBase } from './base/cluster-base.ts';
import type { ClusterControllerOptions, ControllerAddresses } from './cluster-controller-options.ts';
import { ClusterSource } from './cluster-source.ts';
import { ControllerFronts } from './controller-fronts.ts';
import { LeaseElection } from './identity/lease-election.ts';
import { peerStreamOptions } from './identity/peer-stream-options.ts';
import { isPeerToken } from './identity/peer-token.ts';
import { PlaneReview } from './identity/plane-review.ts';
import { SharedAuthority } from './identity/shared-authority.ts';
import { KeyedPublication } from './keyed-publication.ts';
import { lostContact } from './lost-contact.ts';
import { metricsSource } from './metrics-source.ts';
import { planeListener } from './plane-listener.ts';
import { readyPlanes } from './ready-planes.ts';
import { servingPods } from './serving-pods.ts';
import { ControllerStatus } from './status/controller-status.ts';
import { EventRecorder } from './status/event-recorder.ts';
import { groupAddresses } from './status/group-addresses.ts';
import { StatusWriter } from './status/status-writer.ts';
import { toldFailures } from './told-failures.ts';
import { clusterVersions } from './versions/cluster-versions.ts';
import type { VersionRecorder } from './versions/version-recorder.ts';

/** A controller of a cluster: everything that it is made of, put together. */
export class ClusterController {
  private readonly options: ClusterControllerOptions;
  private readonly log: Logger;
  private readonly authority: SharedAuthority;
  private readonly publication: KeyedPublication;
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
  /** Null where no versions of Routes are kept. */
  private readonly versions: VersionRecorder | null;
  private election: LeaseElection | null = null;
  private newest: Compilation | null = null;
  private ready: readonly PlaneIdentity[] = [];
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
    const publication = await KeyedPublication.open({
      ...{ api: options.api, namespace: options.namespace, secret: options.shared.sessionSecret },
      ...{ isLeader: shared.isLeader, log: options.log },
    });
    controller = new ClusterController(options, authority, publication);
    return controller;
  }

  /** A part asks for another that is made after it only when it runs. */
  private constructor(options: ClusterControllerOptions, authority: SharedAuthority, publication: KeyedPublication) {
    const { api, log, name, namespace, compiler } = options;
    const base = { namespace, name: options.base };
    const platform = { server: api.server, controller: { namespace, pod: name } };
    const isLeader = (): boolean => this.election?.isLeader === true;
    const authorities = (): string => this.trusted;
    const told = (message: string): void => log.info(message);
    const refusals = new PacedWarning(log, 'connection of a data plane rejected', { most: 5 });
    this.options = options;
    this.log = log;
    this.authority = authority;
    this.publication = publication;
    this.serving = this.servingCertificates();
    this.contact = lostContact({ api, log, sessions: () => this.sessions });
    const leadsFor = (): number => this.election?.leadsFor ?? 0;
    this.versions = clusterVersions({ ...options, leadsFor, source: () => this.source });

    // from resources to snapshots
    const changed = (isStatusOnly: boolean): void => this.live.changed(isStatusOnly);
    const record: EventRecorder['record'] = (subject, change) => this.events.record(subject, change);
    const compiled = (made: ClusterCompilation): void => this.compiled(made);
    const failed = (error: unknown): void =>
      log.error({ error: String(error) }, 'compilation failed; data planes keep their configuration');
    const specChanged: VersionRecorder['changed'] = (before, after) => this.versions?.changed(before, after);
    const hears = { changed, specChanged, endpointsChanged: publication.endpointsChanged, failed: toldFailures(log) };
    this.source = new ClusterSource({ ...options, base, platform, ...hears });
    this.base = new ClusterBase({ ...options, base, isLeader, record });
    this.live = new LiveCluster({ source: this.source, compiler, begin: this.base.lastGood(), compiled, failed });

    // data planes and other controllers
    const peer = peerStreamOptions(options.serverNames, authorities, () => this.peerSecret);
    const { sessionSettings: settings } = options;
    this.ledger = new PlaneLedger({ serves: servingPods(api), changed: (routes) => this.planesChanged(routes) });
    this.routePlanes = new RoutePlanes(this.ledger);
    const notices = new NoticeRelay();
    this.forwarder = new PeerForwarder({
      ...{ ...peer, controller: name, notices, told },
      explain: (question) => this.sessions.explain(question),
    });
    const listener = this.listener();
    this.sessions = new PlaneSessions({
      ...{ controller: name, authorities, listener, notices, ...(settings && { settings }) },
    });
    this.review = new PlaneReview({ api, groups: [] });
    this.peers = new PeerService({
      ...{ controller: name, ledger: this.ledger, sessions: this.sessions, notices, isLeader, told },
      askLeader: (method, question) => this.report.askLeader(method, question),
      planes: () => this.report.own().planes,
      routes: () => this.report.ownRoutes(),
      authenticate: async (token) => isPeerToken(token, this.peerSecret, Date.now()),
    });
    this.channel = new ChannelServer({
      ...{ ...options.channel, tls: this.certificate, sessions: this.sessions },
      authenticator: firstToKnow([...options.authenticators, this.review]),
      methods: this.peers.methods,
      refused: (reason, from) => refusals.give({ peer: from, reason }),
    });

    // status, Events, metrics, admin addresses and webhook
    this.metrics = new ControllerMetrics(
      metricsSource({
        source: this.source,
        ledger: this.ledger,
        sessions: this.sessions,
        isLeader,
        newest: () => this.newest,
      }),
    );
    options.showRoutes(this.metrics.registry, () => this.routeFigures());
    const recorded = (outcome: string): void => this.metrics.eventRecorded(outcome);
    this.events = new EventRecorder({ api, controller: name, recorded });
    this.status = new StatusWriter({
      ...{ api, planes: this.routePlanes, stateChanged: record, leadsFor },
      wrote: (kind, outcome) => this.metrics.statusWritten(kind, outcome),
    });
    this.report = new ControllerStatus({
      ...{ controller: name, source: this.source, ledger: this.ledger, sessions: this.sessions, peer },
      ...{ routePlanes: this.routePlanes, figures: () => options.figures(this.routeFigures()) },
      election: () => this.election,
      newest: () => this.newest,
      isListed: () => this.isListed,
      followers: () => this.peers.controllers,
      baseProblems: () => this.base.news.errors,
      sessionKeysFault: () => this.publication.keysFault,
    });
    this.fronts = new ControllerFronts({
      ...{ ...options, metrics: this.metrics, isLeader, authorities, source: this.adminSource },
      judge: { judge: (request) => (this.isListed ? compilerJudge(compiler).judge(request) : null) },
      ...{ baseJudge: this.base.judge, certificate: () => this.certificate },
      consoleSignIn: options.consoleSignIn(() => publication.consoleKeys),
      managed: {
        ...{ source: this.source, live: this.live, isListed: () => this.isListed, secret: () => this.peerSecret },
        planes: () => this.report.planes(),
        served: () => this.report.routes(),
        verdicts: () => this.newest?.resources?.verdicts ?? [],
        history: this.versions,
        dryRuns: this.peers.dryRuns,
      },
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
      note: cutOffNotes(this.ledger),
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
    this.versions?.close();
    await this.election?.close();
    this.forwarder.close();
    this.peers.disband();
    await this.channel.close();
    this.ledger.close();
    this.events.close();
    this.authority.close();
    this.publication.close();
    this.serving?.close();
    await this.fronts.close();
    await this.source.close();
  }

  // ---- parts

  /** Null where certificates are given. */
  private servingCertificates(): ServingCertificates | null {
    const { certificates, serverNames: names } = this.options;
    if (certificates !== null) return null;
    const { authority } = this.authority;
    return new ServingCertificates({ authority, names, renewed: () => this.renewCertificates() });
  }

  private listener(): SessionListener {
    return planeListener({
      ...{ log: this.log, controller: this.options.name, ledger: this.ledger, forwarder: this.forwarder },
      metrics: () => this.metrics,
      connected: () => this.recall(),
    });
  }

  // ---- what happens

  private compiled({ compilation, state, published, took, base }: ClusterCompilation): void {
    this.newest = compilation;
    this.metrics.compiled(took);
    const { resources } = compilation;
    if (resources === undefined) return;
    if (resources.trust !== null) {
      const { groups } = resources.trust;
      this.review.useGroups(groups); // no plane any more: nothing comes next
      this.ready = state.platform === undefined ? [] : readyPlanes(state.platform, groups);
      this.expectPlanes();
    }
    if (published !== null) {
      const isRegrouped = this.routePlanes.regroup(published.defaultGroup, published.grants ?? EVERYBODY);
      if (isRegrouped) this.status.planesChanged(null);
      this.publication.publish(this.sessions, published);
    }
    // planes have got what there is to run, which no report may undo
    this.reported('base configuration problems', () => this.base.compiled(compilation, base.source));
    const addresses = groupAddresses(state.platform, resources.trust?.groups ?? []);
    this.reported('statuses', () => this.status.judged(resources.verdicts, this.base.news.note, addresses));
    this.recall();
  }

  private reported(what: string, report: () => void): void {
    try {
      report();
    } catch (error) {
      this.log.error({ error: errorStack(error) }, `could not report ${what}`);
    }
  }

  private planesChanged(routes: readonly string[] | null): void {
    if (routes === null) this.routePlanes.forget();
    this.status.planesChanged(routes);
  }

  /** Only the leader hears of all planes, so that to a follower all but its own would be missing. */
  private expectPlanes(): void {
    this.ledger.expect(this.election?.isLeader === true ? this.ready : []);
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
    this.expectPlanes();
    this.status.setLeading(isLeader);
    void this.source.synced.then(() => this.versions?.setLeading(this.election?.isLeader === true));
    this.forwarder.follow(isLeader ? null : address);
    if (isLeader) {
      void this.authority.check();
      this.publication.lead();
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

  /** What controllers know each other by. */
  private get peerSecret(): string {
    return this.authority.authority.serialised();
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
      monitoring: options.monitoring(() => this.routeFigures()),
    };
  }
}
