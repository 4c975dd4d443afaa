import { readStatusReport } from '../../../cli/output/status-lines.ts';
import type { StatusReport, WatchReport } from '../../../controller/admin/status-report.ts';
import type { RunningController } from '../gateways/deployed-gateway.ts';

/** What a controller says of itself and of its planes. */
export async function controllerReport({ adminPort }: Pick<RunningController, 'adminPort'>): Promise<StatusReport> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/status`);
  return readStatusReport(await answer.text());
}

/** How it follows the Routes of the one namespace that has its Routes followed. */
export async function routeWatch(controller: Pick<RunningController, 'adminPort'>): Promise<WatchReport> {
  const { watches } = await controllerReport(controller);
  return watches.find(({ kind }) => kind === 'Route')!;
}

/** How often it failed to list or watch Routes. */
export async function routeFailures({ adminPort }: Pick<RunningController, 'adminPort'>): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
  const samples = (await answer.text()).matchAll(/^gw_controller_watch_errors_total\{[^}]*kind="Route".*\} (\d+)$/gm);
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}
