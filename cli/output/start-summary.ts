import { join } from 'node:path';
import type { Compilation } from '../../controller/compile/compiler.ts';
import { addressText, type ServedAddress } from '../../dataplane/connectors/connector.ts';
import type { Plane } from '../../dataplane/supervisor/plane.ts';
import { allVerdicts, type Instance } from '../actions/open-instance.ts';
import { versionLine } from '../version.ts';
import { counted } from './check-report.ts';
import { routeLines } from './route-lines.ts';
import { shownPath } from './verdict-text.ts';

/** How many routes of a router are listed at the start. */
const MOST_LISTED = 200;

/** Summary at the start: loaded files and addresses, for the person who starts the instance. */
export function startSummary(
  instance: Instance,
  compilation: Compilation,
  { addresses, adminAddress, problems: unbuilt }: Pick<Plane, 'addresses' | 'adminAddress' | 'problems'>,
  { prefix, watch }: { readonly prefix: string; readonly watch: boolean },
): string[] {
  const { layout, admin, tokenProblems } = instance;
  const isDefault = instance.source.state.config === null;
  const config = shownPath(join(layout.config, 'config.json'));
  const lines = [
    versionLine(),
    `instance    ${layout.instance}`,
    `admin.json  ${admin.verdict === null ? 'not found, using defaults' : shownPath(admin.verdict.file.path)}`,
    `config.json ${isDefault ? 'not found, using the routes and a welcome page' : config}`,
    ...routeLines(compilation, watch, MOST_LISTED, unbuilt),
  ];
  const found = allVerdicts(instance, compilation).flatMap(({ problems }) => problems);
  const problems = [...tokenProblems, ...found, ...unbuilt.flatMap((one) => one.problems)];
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const counts = [errors === 0 ? '' : counted(errors, 'ERROR'), warnings === 0 ? '' : counted(warnings, 'warning')];
  const said = counts.filter((count) => count !== '').join(' and ');
  if (said !== '') lines.push(`problems    ${said}, see above`);
  lines.push(...addresses.map((address) => `traffic     ${url(address)}`));
  if (adminAddress === undefined) return lines;
  const at = url({ scheme: 'http', ...adminAddress }).split(' ', 1)[0];
  return [
    ...lines,
    `console     ${at}/console/`,
    `health      ${at}/health/live and ${at}/health/ready`,
    `metrics     ${at}/${prefix}/metrics/prometheus and ${at}/${prefix}/metrics/api?_queryFilter=true`,
  ];
}

/** Where to ask: an address that means every interface is none that somebody can go to. */
function url(address: ServedAddress): string {
  const isEverywhere = address.host === '::' || address.host === '0.0.0.0';
  return isEverywhere ? `${addressText({ ...address, host: 'localhost' })} (on every interface)` : addressText(address);
}
