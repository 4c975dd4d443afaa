import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { withParts } from '../../contract/document/late-part.ts';
import { problemText } from '../../contract/problem-text.ts';
import type { Compilation } from '../../controller/compile/compiler.ts';
import { hasErrors } from '../../controller/compile/verdict.ts';
import { LiveInstance } from '../../controller/live-instance.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { adminProtection } from '../../dataplane/connectors/admin-protection.ts';
import {
  configuredConnectors,
  connectorCount,
  securePortProblem,
} from '../../dataplane/connectors/configured-connectors.ts';
import { proveCertificateFiles } from '../../dataplane/connectors/file-transport.ts';
import type { ListenerLimits } from '../../dataplane/engine/head/limits.ts';
import type { AccessLogTarget } from '../../dataplane/log/log-destination.ts';
import type { LogLevel } from '../../dataplane/log/log-level.ts';
import type { LogFormat } from '../../dataplane/log/log-style.ts';
import { programLog, programLogStyle } from '../../dataplane/log/program-log.ts';
import { CannotListen } from '../../dataplane/supervisor/cannot-listen.ts';
import { type Plane, startPlane } from '../../dataplane/supervisor/plane.ts';
import { operatorReach } from '../../dataplane/unit/operator-reach.ts';
import type { ListenAddress } from '../../platform/listen-address.ts';
import { type SecureChoice, secureConnector } from '../options/secure-options.ts';
import { makeTemporaryDirectory } from '../options/temporary-directory.ts';
import { cannotListenText } from '../output/cannot-listen-text.ts';
import { counted } from '../output/check-report.ts';
import { ConfigurationTally } from '../output/configuration-tally.ts';
import { RunReport } from '../output/run-report.ts';
import { startSummary } from '../output/start-summary.ts';
import { tellAsJson, tellAsText, tellAsTextFrom } from '../output/tell.ts';
import { consoleFiles } from './console-file.ts';
import { managedApi } from './managed-api.ts';
import { allVerdicts, givenLayout, type Instance, openInstance } from './open-instance.ts';
import { claimPidFile } from './pid-file.ts';
import { onStopSignal } from './stop-signals.ts';

export interface RunOptions extends SecureChoice {
  readonly port: readonly number[] | undefined;
  readonly host: string | undefined;
  readonly watch: boolean;
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
  readonly reports: LogFormat;
}

/** Serves an instance until it is told to stop. Resolves to the exit code. */
export async function runInstance(path: string | undefined, options: RunOptions): Promise<number> {
  const { system, watch, port: ports } = options;
  const logStyle = programLogStyle(options['log-format']);
  const log = programLog(options['log-level'], logStyle);
  const asText = options.reports === 'text' || (options.reports === 'auto' && logStyle.isText);
  const report = new RunReport(asText ? tellAsTextFrom(options['log-level']) : tellAsJson(options['log-level']));
  const tally = new ConfigurationTally();
  let live: LiveInstance | null = null;
  // files may change while units still start, and what they are told then must not be lost
  const serving = Promise.withResolvers<Plane>();
  const layout = givenLayout(path, system);
  const changed = (): void => {
    report.adminChanged(instance.source.admin);
    live?.changed();
  };
  const instance: Instance = await withParts(() => openInstance(layout, { system, watch, ports, changed }));
  const { source, compiler, admin } = instance;
  report.adminChanged(source.admin);
  live = new LiveInstance({
    compiler,
    source,
    configDirectory: layout.config,
    compiled(compilation, update) {
      tally.compiled(compilation.verdicts);
      report.compiled(compilation, update);
      if (update === null) tally.reloaded(false);
    },
    failed: (error) => report.undelivered(error),
    async deliver(update) {
      const begun = performance.now();
      try {
        const problems = await (await serving.promise).apply(update);
        tally.built(update, problems);
        report.buildProblems(problems);
        report.delivered(update, performance.now() - begun);
        return problems;
      } catch (error) {
        report.undelivered(error);
        return null;
      } finally {
        tally.reloaded(true);
      }
    },
  });
  const { compilation, update } = await live.begin();
  for (const problem of instance.tokenProblems) tellAsText({ level: 'error', message: `${problemText(problem)}\n` });
  await report.problems(allVerdicts(instance, compilation));
  if (admin.settings === null || update === null || hasErrors(instance.tokenProblems) || baseIsBad(compilation)) {
    source.close();
    process.stderr.write('gatewarden run: the configuration cannot be served\n');
    return 1;
  }
  const { settings } = admin;
  const count = connectorCount(settings);
  if (ports !== undefined && ports.length !== count) {
    source.close();
    const named = `--port names ${counted(ports.length, 'port')}, and admin.json has ${counted(count, 'connector')}`;
    process.stderr.write(`gatewarden run: ${named}: name one for each, in their order, or leave it out\n`);
    return 2;
  }
  const secure = secureConnector(options);
  const overrides = { host: options.host, ports, limits: options.limits, secure };
  const clash = securePortProblem(settings, overrides);
  if (clash !== null) {
    source.close();
    process.stderr.write(`gatewarden run: ${clash}\n`);
    return 2;
  }
  process.on('SIGHUP', () => source.scan()); // before anybody can take it for started: it would end the process
  let running: Plane;
  try {
    if (secure !== undefined) await proveCertificateFiles(secure.files);
    if (settings.temporaryDirectory !== undefined) makeTemporaryDirectory(instance.reach.directories.temp);
    const path = join(instance.layout.instance, 'tmp', 'gatewarden.pid');
    const warn = (message: string): void => report.warning(message);
    process.once('exit', claimPidFile({ path, mode: settings.pidFileMode, warn }));
    running = await startPlane({
      connectors: configuredConnectors(settings, overrides),
      serving: {
        kind: 'configuration',
        update,
        reach: instance.reach,
        admin: admin.document,
        streaming: settings.streamingEnabled,
        prefix: settings.prefix,
      },
      units: options.units ?? settings.gatewayUnits ?? availableParallelism(),
      accessLog: options['access-log'],
      accessLogFormat: options['access-log-format'],
      logLevel: options['log-level'],
      logStyle,
      admin: options.admin,
      trustedProxies: options['trusted-proxies'],
      drainDelay: options['drain-delay'],
      drainTimeout: options['drain-timeout'],
      configurationFigures: tally,
      protection: await adminProtection({
        ...{ document: admin.document, catalogue, reach: operatorReach(instance.reach), log },
      }),
      adminMaxBodyLength: settings.adminMaxBodyLength,
      api: managedApi({ instance: live, mode: settings.mode, reach: instance.reach, prefix: settings.prefix, log }),
      console: consoleFiles(),
    });
  } catch (error) {
    source.close();
    if (error instanceof CannotListen)
      throw new Error(cannotListenText(error, { host: 'host', port: 'port', connectors: count }));
    throw error;
  }
  serving.resolve(running);
  tally.compiled(compilation.verdicts);
  tally.built(update, running.problems);
  live.built(update, running.problems);
  report.buildProblems(running.problems);
  if (running.problems.some(({ route }) => route === null)) {
    source.close();
    await running.drain();
    process.stderr.write('gatewarden run: the configuration cannot be served\n');
    return 1;
  }
  const { prefix } = settings;
  for (const line of startSummary(instance, compilation, running, { prefix, watch })) process.stdout.write(`${line}\n`);
  report.started();
  onStopSignal(async () => {
    await running.dismiss(); // what people change is served to the last client
    source.close();
    await running.drain();
  });
  await running.closed;
  return 0;
}

/** Whether something is wrong that more than one route depends on. */
function baseIsBad({ verdicts }: Compilation): boolean {
  return verdicts.some(({ role, problems }) => role !== 'route' && hasErrors(problems));
}
