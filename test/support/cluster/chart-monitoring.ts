import type { RenderedObject } from './chart.ts';

/** An alert as Prometheus has it. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A query of a panel. */
export interface DashboardQuery {
  readonly panel: string;
  readonly expr: string;
  /** How a series is called in the legend. */
  readonly legend: string;
}

export interface Dashboard {
  readonly schemaVersion: number;
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly datasource?: { readonly uid: string };
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[];
  };
}

const only = (rendered: readonly RenderedObject[], kind: string, suffix = ''): RenderedObject => {
  const found = rendered.filter(({ kind: one, metadata }) => one === kind && metadata.name.endsWith(suffix));
  if (found.length !== 1) throw new Error(`there are ${found.length} of ${kind} …${suffix}`);
  return found[0]!;
};

/** What the chart calls the release where that has no namespace: the job of everything that is scraped. */
export function clusterName(rendered: readonly RenderedObject[]): string {
  return ruleGroup(rendered).name;
}

export function renderedAlerts(rendered: readonly RenderedObject[]): readonly Alert[] {
  return ruleGroup(rendered).rules;
}

export function renderedDashboard(rendered: readonly RenderedObject[]): Dashboard {
  const data = only(rendered, 'ConfigMap', '-dashboard')['data'] as Readonly<Record<string, string>>;
  return JSON.parse(data['gatewarden.json']!) as Dashboard;
}

/** All queries of the dashboard. */
export function dashboardQueries(rendered: readonly RenderedObject[]): DashboardQuery[] {
  return renderedDashboard(rendered).panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ panel: title, expr, legend: legendFormat })),
  );
}

function ruleGroup(rendered: readonly RenderedObject[]): { readonly name: string; readonly rules: readonly Alert[] } {
  const { groups } = only(rendered, 'PrometheusRule')['spec'] as { groups: [ReturnType<typeof ruleGroup>] };
  return groups[0];
}
