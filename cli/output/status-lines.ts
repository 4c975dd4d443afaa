import type { BackendsSummary } from '../../contract/channel.ts';
import { printable } from '../../contract/document/printable-text.ts';
import type { PlaneReport, StatusReport, WatchReport } from '../../controller/admin/status-report.ts';
import { tableLines } from './table-lines.ts';
import { indent } from './text-layout.ts';

/** How far clocks may differ before it is told, in milliseconds. */
const CLOCK_TOLERANCE = 5000;
/** How long a watch may be silent before it is told. */
const SILENCE = 120_000;

/** @throws Error when it is none */
export function readStatusReport(text: string): StatusReport {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && 'planes' in value && 'baseProblems' in value)
    return value as StatusReport;
  throw new Error('the response is not from a controller, or from another version of it');
}

/** Whether there is nothing that somebody should look at. */
export function isWell({ waitsFor, planes, baseProblems, leaderFault, sessionKeysFault }: StatusReport): boolean {
  const isComplete = waitsFor === null && leaderFault === undefined && sessionKeysFault === undefined;
  return isComplete && baseProblems.length === 0 && planes.every(({ state }) => state === 'current');
}

/** A report as people read it. */
export function statusLines(report: StatusReport): string[] {
  return [...headLines(report), '', ...planeLines(report), ...faultLines(report)].map(printable);
}

function headLines({ controller, isLeader, leader, waitsFor, revision, followers, resources }: StatusReport): string[] {
  const others = followers.length === 0 ? '' : `, followed by ${followers.join(', ')}`;
  const role = isLeader
    ? `leads${others}`
    : leader === null
      ? 'no controller is the leader'
      : `follows ${leader.name} at ${leader.address}`;
  const counts = resources.map(({ kind, count, notAccepted, refsNotResolved }) => {
    const aside = [
      notAccepted > 0 ? `${notAccepted} not accepted` : '',
      refsNotResolved > 0 ? `${refsNotResolved} with unresolved references` : '',
    ].filter((part) => part !== '');
    return `${count} ${kind}${count === 1 ? '' : 's'}${aside.length === 0 ? '' : ` (${aside.join(', ')})`}`;
  });
  return [
    `controller  ${controller}, ${role}`,
    `ready       ${waitsFor === null ? 'yes' : `no: ${waitsFor}`}`,
    `revision    ${short(revision)}`,
    `resources   ${counts.length === 0 ? 'none' : counts.join(', ')}`,
  ];
}

function planeLines({ planes, leaderFault }: StatusReport): string[] {
  if (planes.length === 0)
    return [leaderFault === undefined ? 'no planes' : 'no data planes are connected to this controller'];
  const rows = planes.map((plane) => [
    plane.plane,
    plane.group,
    plane.state,
    short(plane.revision),
    plane.lag === null ? '-' : duration(plane.lag),
    String(plane.routes),
    endpointCount(plane.backends),
    plane.ready === null ? '-' : plane.ready ? 'yes' : 'no',
    duration(plane.age),
    plane.controller,
  ]);
  return tableLines(
    ['PLANE', 'GROUP', 'STATE', 'REVISION', 'LAG', 'ROUTES', 'ENDPOINTS', 'READY', 'AGE', 'CONTROLLER'],
    rows,
  );
}

function faultLines({ planes, watches, baseProblems, leaderFault, sessionKeysFault: keys }: StatusReport): string[] {
  const lines = [
    ...baseFaults(baseProblems),
    ...(keys === undefined
      ? []
      : [`session keys cannot be read or written; new data planes do not share sessions: ${keys}`]),
    ...(leaderFault === undefined ? [] : [`the leader could not be asked for its data planes: ${leaderFault}`]),
    ...planes.flatMap(planeFaults),
    ...planes.flatMap(backendsFaults),
    ...watches.flatMap(watchFaults),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

function baseFaults(problems: readonly string[]): string[] {
  if (problems.length === 0) return [];
  const shown = problems.flatMap((text) => text.split('\n')).map((line) => `${indent}${line}`);
  return ['the base configuration is not valid; the last good one stays in effect, if there is one:', ...shown];
}

/** Endpoints of all Backends that can serve, and all of them. */
function endpointCount(backends: PlaneReport['backends'] = []): string {
  if (backends.length === 0) return '-';
  const sum = (count: (one: BackendsSummary) => number): number => backends.reduce((all, one) => all + count(one), 0);
  return `${sum(({ total, ejected, down }) => Math.max(0, total - ejected - down))}/${sum(({ total }) => total)}`;
}

/** Backends that somebody should look at. */
function backendsFaults({ plane, backends = [] }: PlaneReport): string[] {
  return backends.flatMap(({ route, name, total, ejected, down }) => {
    const where = `data plane ${plane}: Backends ${name}${route === '' ? '' : ` of ${route}`}`;
    if (total === 0) return [`${where} has no endpoints`];
    const out = [
      ...(ejected > 0 ? [`${ejected} ejected`] : []),
      ...(down > 0 ? [`${down} without answers to probes`] : []),
    ];
    return out.length === 0 ? [] : [`${where}: of ${total} endpoints, ${out.join(' and ')}`];
  });
}

function planeFaults({ plane, problems, clockAhead }: PlaneReport): string[] {
  const skew = clockAhead !== null && Math.abs(clockAhead) > CLOCK_TOLERANCE;
  return [
    ...problems.map(({ route, message }) => `data plane ${plane} failed to build ${route}:\n${indent}${message}`),
    ...(skew
      ? [`data plane ${plane}: its clock is ${duration(Math.abs(clockAhead))} ${clockAhead > 0 ? 'ahead' : 'behind'}`]
      : []),
  ].flatMap((text) => text.split('\n'));
}

function watchFaults({ kind, scope, isSynced, age, fault }: WatchReport): string[] {
  const name = `watch of ${kind}${scope === '' ? '' : ` in ${scope}`}`;
  if (fault !== null) return [`${name}: ${fault}`];
  if (!isSynced) return [`${name}: not listed yet`];
  return age !== null && age > SILENCE ? [`${name}: no data for ${duration(age)}`] : [];
}

function short(revision: string | null): string {
  return revision === null ? '-' : revision.slice(0, 12);
}

/** In the two largest units that matter to people. */
function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))}ms`;
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h${Math.floor((seconds % 3600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d${Math.floor((seconds % 86_400) / 3600)}h`;
}
