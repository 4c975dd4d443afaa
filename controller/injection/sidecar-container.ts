import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import { PLANE_AUDIENCE } from '../cluster/identity/plane-review.ts';
import type { PodWishes } from './pod-annotations.ts';
import type { SidecarSettings } from './sidecar-settings.ts';
import { withTemporaryFileLimit } from './temporary-file-limit.ts';

/** Name of the container. */
export const SIDECAR_NAME = 'gatewarden';
/** Name of its port for clients, by which the `targetPort` of a Service finds it. */
export const TRAFFIC_PORT_NAME = 'gatewarden';
/** Name of its port for health and metrics. */
export const METRICS_PORT_NAME = 'gw-metrics';

const CA_VARIABLE = 'GATEWARDEN_CA';
const ZONE_VARIABLE = 'GATEWARDEN_ZONE';
/** Label of a node that Kubernetes 1.35 and later copies to its Pods. Elsewhere the variable is empty. */
const ZONE_LABEL = 'topology.kubernetes.io/zone';
const TOKEN_SECONDS = 3600;

const volumeNames = { token: 'gatewarden-token', temporary: 'gatewarden-tmp', nothing: 'gatewarden-no-api-token' };

/** The volumes that a sidecar needs in its Pod, each under a name of ours. */
export function sidecarVolumes({ temporaryStorage }: SidecarSettings): readonly (JsonObject & { name: string })[] {
  const token = { audience: PLANE_AUDIENCE, expirationSeconds: TOKEN_SECONDS, path: 'token' };
  return [
    { name: volumeNames.token, projected: { sources: [{ serviceAccountToken: token }] } },
    { name: volumeNames.temporary, emptyDir: { sizeLimit: temporaryStorage } },
    { name: volumeNames.nothing, emptyDir: { sizeLimit: '1Mi' } },
  ];
}

/** Terms of a sidecar after its Pod has been read. */
export interface SidecarTerms {
  readonly settings: SidecarSettings;
  readonly wishes: PodWishes;
  readonly appPorts: readonly number[];
  /** Authorities of controllers, in PEM. */
  readonly authorities: string;
}

/** The ports that a sidecar has for itself. */
export function ownPorts({ port, adminPort }: SidecarSettings, wishes: PodWishes): { port: number; adminPort: number } {
  return { port: wishes.port ?? port, adminPort: wishes.adminPort ?? adminPort };
}

/** The sidecar: an init container that Kubernetes keeps running beside the application and ends after it. */
export function sidecarContainer(terms: SidecarTerms): JsonObject {
  const { settings, wishes, authorities } = terms;
  const { port, adminPort } = ownPorts(settings, wishes);
  const probe = (path: string): JsonObject => ({ httpGet: { path, port: adminPort }, timeoutSeconds: 5 });
  return {
    name: SIDECAR_NAME,
    image: settings.image,
    imagePullPolicy: settings.pullPolicy,
    restartPolicy: 'Always',
    args: [
      ...programWords(terms, port, adminPort),
      ...withTemporaryFileLimit(settings.extraArgs, settings.temporaryStorage),
    ],
    env: [
      { name: CA_VARIABLE, value: authorities },
      {
        name: ZONE_VARIABLE,
        valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${ZONE_LABEL}']` } },
      },
    ],
    ports: [
      { name: TRAFFIC_PORT_NAME, containerPort: port, protocol: 'TCP' },
      { name: METRICS_PORT_NAME, containerPort: adminPort, protocol: 'TCP' },
    ],
    // The application need not wait for a controller; clients do, because the Pod is not ready before the sidecar is.
    startupProbe: { ...probe('/health/live'), periodSeconds: 1, failureThreshold: 60 },
    readinessProbe: { ...probe('/health/ready'), periodSeconds: 5, failureThreshold: 2 },
    livenessProbe: { ...probe('/health/live'), periodSeconds: 10, failureThreshold: 6 },
    resources: resourcesOf(settings, wishes),
    securityContext: securityContext(settings),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [
      { name: volumeNames.token, mountPath: '/var/run/secrets/tokens/gatewarden', readOnly: true },
      { name: volumeNames.temporary, mountPath: '/tmp' },
      // Kubernetes would mount the application's token for the API server here, which a plane has no business with.
      { name: volumeNames.nothing, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ],
  };
}

function programWords({ settings, wishes, appPorts }: SidecarTerms, port: number, adminPort: number): string[] {
  return [
    'dataplane',
    '--sidecar',
    `--controller=${settings.controllers.join(',')}`,
    `--ca-env=${CA_VARIABLE}`,
    `--app-port=${appPorts.join(',')}`,
    `--port=${port}`,
    `--admin=:${adminPort}`,
    `--zone=$(${ZONE_VARIABLE})`,
    `--units=${settings.units}`,
    `--log-level=${wishes.logLevel ?? settings.logLevel}`,
    `--access-log=${settings.accessLog ? '-' : 'off'}`,
    `--drain-timeout=${settings.drainSeconds}s`,
  ];
}

/** What Pod Security "restricted" asks for. */
function securityContext({ runAsUser, runAsGroup }: SidecarSettings): JsonObject {
  return {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    privileged: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    ...(runAsUser === null ? {} : { runAsUser }),
    ...(runAsGroup === null ? {} : { runAsGroup }),
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

function resourcesOf({ resources: { requests, limits } }: SidecarSettings, wishes: PodWishes): JsonObject {
  const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = wishes;
  return {
    requests: given({ cpu: cpuRequest ?? requests.cpu, memory: memoryRequest ?? requests.memory }),
    limits: given({ cpu: cpuLimit ?? limits.cpu, memory: memoryLimit ?? limits.memory }),
  };
}

function given(amounts: Readonly<Record<string, string | undefined>>): JsonObject {
  const known = Object.entries(amounts).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries<JsonValue>(known);
}
