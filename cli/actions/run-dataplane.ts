import { lookup } from 'node:dns/promises';
import { availableParallelism, tmpdir } from 'node:os';
import type { ForbiddenPlace } from '../../contract/egress.ts';
import { catalogueDigest } from '../../dataplane/catalogue/catalogue-digest.ts';
import type { ListenerLimits } from '../../dataplane/engine/head/limits.ts';
import { type ControllerAddress, ControllerAddresses } from '../../dataplane/link/controller-addresses.ts';
import { ControllerLink } from '../../dataplane/link/controller-link.ts';
import type { LinkFiles } from '../../dataplane/link/link-credentials.ts';
import { PlaneFollower } from '../../dataplane/link/plane-follower.ts';
import { SealedSnapshot } from '../../dataplane/link/sealed-snapshot.ts';
import { type OwnSettings, snapshotBeginning } from '../../dataplane/link/snapshot-beginning.ts';
import { snapshotIdentity } from '../../dataplane/link/snapshot-identity.ts';
import type { AccessLogTarget } from '../../dataplane/log/log-destination.ts';
import type { LogLevel } from '../../dataplane/log/log-level.ts';
import type { LogFormat } from '../../dataplane/log/log-style.ts';
import { programLog, programLogStyle } from '../../dataplane/log/program-log.ts';
import { CannotListen } from '../../dataplane/supervisor/cannot-listen.ts';
import { preparePlane } from '../../dataplane/supervisor/plane.ts';
import type { SpareUnit } from '../../dataplane/supervisor/spare-unit.ts';
import type { ListenAddress } from '../../platform/listen-address.ts';
import { isInCluster } from '../options/in-cluster.ts';
import { type SecureChoice, secureConnector } from '../options/secure-options.ts';
import { cannotListenText } from '../output/cannot-listen-text.ts';
import { programVersion } from '../version.ts';
import { endSoon } from './end-soon.ts';
import { onStopSignal } from './stop-signals.ts';

export interface DataplaneOptions extends SecureChoice {
  readonly controller: readonly ControllerAddress[];
  readonly files: LinkFiles;
  readonly snapshot: string | undefined;
  readonly 'snapshot-key': string | undefined;
  readonly 'snapshot-max-age': number;
  readonly 'unready-after': number | undefined;
  readonly sidecar: boolean;
  readonly 'app-port': readonly number[] | undefined;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly zone: string | undefined;
  readonly port: readonly number[] | undefined;
  readonly host: string | undefined;
  readonly system: Readonly<Record<string, string>>;
  readonly units: number | undefined;
  readonly 'access-log': AccessLogTarget;
  readonly 'access-log-format': LogFormat;
  readonly 'log-level': LogLevel;
  readonly 'log-format': LogFormat;
  readonly admin: ListenAddress | undefined;
  readonly 'trusted-proxies': readonly string[];
  readonly limits: Partial<ListenerLimits>;
  readonly 'drain-delay': number;
  readonly 'drain-timeout': number;
  /** A unit that loads already. */
  readonly spare: SpareUnit;
}

/** Follows a controller until it is told to stop. Resolves to the exit code. */
export async function runDataplane(options: DataplaneOptions): Promise<number> {
  const logStyle = programLogStyle(options['log-format']);
  const log = programLog(options['log-level'], logStyle);
  const apiServer = await apiServerPlaces();
  const secure = secureConnector(options);
  if (secure !== undefined) {
    const { proveCertificateFiles } = await import('../../dataplane/connectors/file-transport.ts');
    await proveCertificateFiles(secure.files);
  }
  // the admin port answers before these are there
  let follower: PlaneFollower | null = null;
  let link: ControllerLink | null = null;
  const own: OwnSettings = {
    host: options.host,
    ports: options.port,
    limits: options.limits,
    secure,
    reach: {
      env: { ...process.env },
      system: options.system,
      directories: { instance: process.cwd(), config: process.cwd(), temp: tmpdir() },
    },
    isSidecar: options.sidecar,
    units: options.units,
    defaultUnits: availableParallelism(),
    appPorts: options['app-port'] ?? [],
    zone: options.zone === '' ? undefined : options.zone,
    forbidden: apiServer,
  };
  const plane = await preparePlane({
    accessLog: options['access-log'],
    accessLogFormat: options['access-log-format'],
    logLevel: options['log-level'],
    logStyle,
    admin: options.admin,
    isInPod: isInCluster(),
    trustedProxies: options['trusted-proxies'],
    drainDelay: options['drain-delay'],
    drainTimeout: options['drain-timeout'],
    spare: options.spare,
    unreadyAfter: options['unready-after'],
    link: { figures: linkFigures(), status: () => ({ ...link?.state, revision: follower?.revision ?? null }) },
  }).catch((error: unknown) => {
    if (!(error instanceof CannotListen)) throw error;
    throw new Error(cannotListenText(error, { host: 'host', port: 'port', connectors: 1 }));
  });
  follower = new PlaneFollower({
    plane,
    begin: (holding) => snapshotBeginning(holding, own),
    file: await sealedSnapshot(),
    about: {
      version: programVersion(),
      catalogue: catalogueDigest(),
      units: own.units ?? own.defaultUnits,
      name: options.name,
      labels: options.labels,
    },
    log,
  });
  link = new ControllerLink({
    addresses: new ControllerAddresses(options.controller, { found: (endpoints) => plane.forbid(endpoints) }),
    files: options.files,
    plane: follower,
    log,
  });
  onStopSignal(async () => {
    await plane.dismiss(); // what people change is served to the last client
    link?.close();
    await plane.drain();
  });
  log.info(
    { admin: plane.adminAddress, controllers: options.controller },
    'waiting for the configuration from a controller',
  );
  await follower.start();
  link.start();
  plane.prepareUnits(own.units ?? own.defaultUnits); // while the controller answers
  await plane.closed;
  await follower.close();
  endSoon();
  return 0;

  function linkFigures() {
    return {
      get connected() {
        return link?.state.connected ?? false;
      },
      get reconnects() {
        return link?.state.reconnects ?? 0;
      },
      get revision() {
        return follower?.revision ?? null;
      },
      get confirmed() {
        return link?.state.stoodBy === true ? Date.now() : (follower?.confirmed ?? null);
      },
      get updates() {
        return follower?.updates ?? { taken: 0, refused: 0 };
      },
    };
  }

  async function sealedSnapshot(): Promise<SealedSnapshot | null> {
    const { snapshot: directory, 'snapshot-key': keyFile, 'snapshot-max-age': maxAge } = options;
    if (directory === undefined || keyFile === undefined) return null;
    const identity = await snapshotIdentity(options.files, options.name);
    return new SealedSnapshot({ directory, keyFile, identity, maxAge, log });
  }
}

/** Where the API server of the cluster is, as every Pod is told. */
async function apiServerPlaces(): Promise<readonly ForbiddenPlace[]> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
  if (host === undefined || host === '') return [];
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => ({ address, port: Number(port) }));
}
