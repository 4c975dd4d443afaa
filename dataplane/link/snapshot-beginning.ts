import { join } from 'node:path';
import { type AdminSettings, adminSettings } from '../../contract/admin-settings.ts';
import type { ForbiddenPlace } from '../../contract/egress.ts';
import type { Problem } from '../../contract/problem.ts';
import { parseConfig } from '../../contract/vocabulary/parse-config.ts';
import {
  type ConnectorOverrides,
  configuredConnectors,
  connectorCount,
  securePortProblem,
} from '../connectors/configured-connectors.ts';
import { documentReading } from '../routes/document-reading.ts';
import type { PlaneBeginning } from '../supervisor/plane.ts';
import { type OperatorReach, operatorReach } from '../unit/operator-reach.ts';
import type { Holding } from './holding.ts';
import { sidecarAdmin } from './sidecar-admin.ts';

/** Settings of the data plane that do not depend on a snapshot. */
export interface OwnSettings extends ConnectorOverrides {
  /** Without the temporary directory, which `admin.json` may name. */
  readonly reach: OperatorReach;
  /** Whether it is a sidecar: with a port of its own it has that one, whatever connectors `admin.json` has. */
  readonly isSidecar: boolean;
  /** Undefined for what `admin.json` says. */
  readonly units: number | undefined;
  /** What `admin.json` means when it does not say. */
  readonly defaultUnits: number;
  readonly appPorts: readonly number[];
  /** Zone of the data plane; undefined where it is not known. */
  readonly zone: string | undefined;
  /** What tenants must not reach, beside controllers. */
  readonly forbidden: readonly ForbiddenPlace[];
}

/** How a plane begins to serve a snapshot, or what is wrong with the `admin.json` in it. */
export function snapshotBeginning(holding: Holding, own: OwnSettings): PlaneBeginning | readonly Problem[] {
  const { revision, base, routes, defaults } = holding;
  const resources = { set: [...holding.resources.values()], remove: [] };
  const { ports } = own;
  const admin = own.isSidecar && ports?.length === 1 ? sidecarAdmin(base.admin ?? {}) : (base.admin ?? {});
  const read = adminSettingsOf(admin, own.reach);
  if (!('mode' in read)) return read;
  if (ports !== undefined && ports.length !== connectorCount(read)) {
    const message = `has ${connectorCount(read)} connectors, but the data plane was started with ${ports.length} ports`;
    return [{ code: 'value', severity: 'error', path: ['connectors'], message }];
  }
  const clash = securePortProblem(read, own);
  if (clash !== null) return [{ code: 'value', severity: 'error', path: ['connectors'], message: clash }];
  const { directories } = own.reach;
  const temp = read.temporaryDirectory;
  const reach =
    temp === undefined
      ? own.reach
      : { ...own.reach, directories: { ...directories, temp: join(directories.instance, temp) } };
  return {
    connectors: configuredConnectors(read, own),
    serving: {
      kind: 'configuration',
      update: { revision, base, set: [...routes.values()], remove: [], defaults, resources },
      reach,
      admin,
      streaming: read.streamingEnabled,
      prefix: read.prefix,
      forbidden: own.forbidden,
      appPorts: own.appPorts,
      ...(own.zone !== undefined && { zone: own.zone }),
    },
    units: own.units ?? read.gatewayUnits ?? own.defaultUnits,
  };
}

/** The settings alone: units check and build the objects in it, so that whoever supervises them need not know types. */
function adminSettingsOf(
  document: NonNullable<Holding['base']['admin']>,
  reach: OperatorReach,
): AdminSettings | readonly Problem[] {
  const reading = documentReading(operatorReach(reach), [document], () => {});
  const { value, problems } = parseConfig(adminSettings, document, reading, []);
  const errors = problems.filter(({ severity }) => severity === 'error');
  return value === undefined || errors.length > 0 ? errors : value;
}
