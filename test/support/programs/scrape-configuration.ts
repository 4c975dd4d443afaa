import { join } from 'node:path';
import { stringify } from 'yaml';
import type { RenderedObject } from '../cluster/chart.ts';
import type { TargetRole } from '../cluster/kubernetes-targets.ts';

/** A rule by which labels are changed, as monitors write it. */
interface Relabeling {
  readonly sourceLabels?: readonly string[];
  readonly separator?: string;
  readonly targetLabel?: string;
  readonly regex?: string;
  readonly modulus?: number;
  readonly replacement?: string;
  readonly action?: string;
}

interface Endpoint {
  readonly port: string;
  readonly path?: string;
  readonly scheme?: string;
  readonly interval?: string;
  readonly scrapeTimeout?: string;
  readonly honorLabels?: boolean;
  readonly relabelings?: readonly Relabeling[];
  readonly metricRelabelings?: readonly Relabeling[];
}

interface MonitorSpec {
  readonly namespaceSelector?: { readonly any?: boolean; readonly matchNames?: readonly string[] };
  readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly sampleLimit?: number;
  readonly jobLabel?: string;
  readonly endpoints?: readonly Endpoint[];
  readonly podMetricsEndpoints?: readonly Endpoint[];
}

/** A rule as the configuration of Prometheus has it. */
type Rule = Readonly<Record<string, unknown>>;

export interface ScrapeSettings {
  /** The folder that `writeTargets` writes to, for a Prometheus that cannot ask the API server; without it, it does. */
  readonly targets?: string;
  /** In place of the intervals that monitors say, for those who cannot wait. */
  readonly interval?: string;
}

/**
 * The configuration that the Prometheus operator gives a Prometheus which selects these ServiceMonitors and PodMonitors:
 * as text in YAML. Other objects are left out. @throws for what this does not translate
 */
export function scrapeConfigs(objects: readonly RenderedObject[], settings: ScrapeSettings = {}): string {
  const scrape_configs = objects.flatMap((object) => {
    if (object.kind !== 'ServiceMonitor' && object.kind !== 'PodMonitor') return [];
    const spec = object['spec'] as MonitorSpec;
    const endpoints = (object.kind === 'ServiceMonitor' ? spec.endpoints : spec.podMetricsEndpoints) ?? [];
    return endpoints.map((endpoint, at) => scrapeConfig(object, spec, endpoint, at, settings));
  });
  return stringify({ scrape_configs }, { lineWidth: 0 });
}

function scrapeConfig(
  { kind, metadata: { name, namespace = 'default' } }: RenderedObject,
  spec: MonitorSpec,
  endpoint: Endpoint,
  at: number,
  settings: ScrapeSettings,
): object {
  const isService = kind === 'ServiceMonitor';
  const interval = settings.interval ?? endpoint.interval;
  const timeout = settings.interval ?? endpoint.scrapeTimeout;
  const { any = false, matchNames = [namespace] } = spec.namespaceSelector ?? {};
  return {
    job_name: `${isService ? 'serviceMonitor' : 'podMonitor'}/${namespace}/${name}/${at}`,
    honor_labels: endpoint.honorLabels ?? false,
    honor_timestamps: true,
    ...discovery(isService ? 'endpointslice' : 'pod', any ? null : matchNames, settings.targets),
    ...(interval === undefined ? {} : { scrape_interval: interval }),
    ...(timeout === undefined ? {} : { scrape_timeout: timeout }),
    metrics_path: endpoint.path ?? '/metrics',
    scheme: (endpoint.scheme ?? 'http').toLowerCase(),
    ...(spec.sampleLimit === undefined ? {} : { sample_limit: spec.sampleLimit }),
    relabel_configs: [
      ...(settings.targets === undefined || any ? [] : [inNamespaces(matchNames)]),
      ...selection(isService ? 'service' : 'pod', spec.selector),
      ...(isService ? serviceLabels(endpoint.port, spec.jobLabel) : podLabels(endpoint.port, `${namespace}/${name}`)),
      ...(endpoint.relabelings ?? []).map(rule),
    ],
    metric_relabel_configs: (endpoint.metricRelabelings ?? []).map(rule),
  };
}

function discovery(role: TargetRole, namespaces: readonly string[] | null, folder: string | undefined): object {
  if (folder !== undefined) return { file_sd_configs: [{ files: [join(folder, `${role}.json`)] }] };
  return { kubernetes_sd_configs: [{ role, ...(namespaces === null ? {} : { namespaces: { names: namespaces } }) }] };
}

/** Keeps what is in these namespaces: files have those of all. */
function inNamespaces(names: readonly string[]): Rule {
  return { action: 'keep', source_labels: ['__meta_kubernetes_namespace'], regex: names.map(escaped).join('|') };
}

/** Keeps what has these labels. */
function selection(of: 'service' | 'pod', selector: MonitorSpec['selector']): Rule[] {
  const { matchLabels = {}, ...others } = selector;
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new Error(`a selector by ${unknown.join(', ')} is not translated`);
  return Object.entries(matchLabels).map(([label, value]) => ({
    action: 'keep',
    source_labels: [`__meta_kubernetes_${of}_label`, `__meta_kubernetes_${of}_labelpresent`].map(
      (prefix) => `${prefix}_${label.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`,
    ),
    regex: `(${escaped(value)});true`,
  }));
}

const ENDED: Rule = { action: 'drop', source_labels: ['__meta_kubernetes_pod_phase'], regex: '(Failed|Succeeded)' };

function serviceLabels(port: string, jobLabel: string | undefined): Rule[] {
  const target = ['__meta_kubernetes_endpointslice_address_target_kind'];
  const targetName = '__meta_kubernetes_endpointslice_address_target_name';
  const named = (kind: string, label: string): Rule => ({
    source_labels: [...target, targetName],
    separator: ';',
    regex: `${kind};(.*)`,
    replacement: '${1}',
    target_label: label,
  });
  return [
    { action: 'keep', source_labels: ['__meta_kubernetes_endpointslice_port_name'], regex: escaped(port) },
    named('Node', 'node'),
    named('Pod', 'pod'),
    copied('__meta_kubernetes_namespace', 'namespace'),
    copied('__meta_kubernetes_service_name', 'service'),
    copied('__meta_kubernetes_pod_name', 'pod'),
    copied('__meta_kubernetes_pod_container_name', 'container'),
    ENDED,
    { source_labels: ['__meta_kubernetes_service_name'], target_label: 'job', replacement: '${1}' },
    ...(jobLabel === undefined
      ? []
      : [
          {
            source_labels: [`__meta_kubernetes_service_label_${jobLabel.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`],
            target_label: 'job',
            regex: '(.+)',
            replacement: '${1}',
          },
        ]),
    { target_label: 'endpoint', replacement: port },
  ];
}

function podLabels(port: string, job: string): Rule[] {
  return [
    ENDED,
    { action: 'keep', source_labels: ['__meta_kubernetes_pod_container_port_name'], regex: escaped(port) },
    copied('__meta_kubernetes_namespace', 'namespace'),
    copied('__meta_kubernetes_pod_container_name', 'container'),
    copied('__meta_kubernetes_pod_name', 'pod'),
    { target_label: 'job', replacement: job },
    { target_label: 'endpoint', replacement: port },
  ];
}

function copied(from: string, to: string): Rule {
  return { source_labels: [from], target_label: to };
}

/** A rule of a monitor in the words of Prometheus. */
function rule({ sourceLabels, targetLabel, ...rest }: Relabeling): Rule {
  return {
    ...(sourceLabels === undefined ? {} : { source_labels: sourceLabels }),
    ...(targetLabel === undefined ? {} : { target_label: targetLabel }),
    ...rest,
  };
}

/** A text as a pattern that matches it, as readable as can be. */
function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
