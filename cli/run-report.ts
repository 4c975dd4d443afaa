import { join } from 'node:path';
import { problemText } from '../contract/problem-text.ts';
import type { Update } from '../contract/snapshot.ts';
import type { Compilation } from '../controller/compile/compiler.ts';
import type { SourceFile } from '../controller/compile/source-file.ts';
import type { Verdict } from '../controller/compile/verdict.ts';
import type { Plane } from '../dataplane/plane.ts';
import type { BuildProblem } from '../dataplane/routes/configuration.ts';
import type { Instance } from './open-instance.ts';
import { routeLines } from './route-lines.ts';
import { shownPath, verdictText } from './verdict-text.ts';
import { versionLine } from './version.ts';

/** How many routes of a router are listed at the start. */
const MOST_LISTED = 200;

/** What a running instance tells the person who started it: what it serves on stdout, what is wrong on stderr. */
export class RunReport {
  /** What was last said of each file. */
  private readonly said = new Map<string, string>();
  private admin: SourceFile | null | undefined;

  /** Says of every file what was not said before. */
  problems(verdicts: readonly Verdict[]): void {
    const told = new Map(this.said);
    this.said.clear();
    for (const verdict of verdicts) {
      if (verdict.problems.length === 0 && told.size === 0) continue;
      const { path } = verdict.file;
      const key = `${verdict.route?.router ?? ''}\n${path}`;
      const text = verdictText([verdict]);
      const before = told.get(key) ?? '';
      if (text !== before) process.stderr.write(text === '' ? `${shownPath(path)}: sound again\n` : `${text}\n\n`);
      if (text !== '') this.said.set(key, text);
    }
  }

  compiled(compilation: Compilation, update: Update | null): void {
    this.problems(compilation.verdicts);
    if (update?.base !== undefined && update.base !== null) say('config.json has changed: everything is built anew');
  }

  delivered({ set, remove, revision }: Update, milliseconds: number): void {
    const names = (list: readonly { id: string }[]): string =>
      list.length > 5 ? `${list.length} routes` : list.map(({ id }) => id).join(', ');
    const parts = [
      set.length === 0 ? '' : `new or changed: ${names(set)}`,
      remove.length === 0 ? '' : `gone: ${names(remove)}`,
    ];
    const what = parts.filter((part) => part !== '').join('; ');
    say(
      `reloaded in ${Math.ceil(milliseconds)} ms${what === '' ? '' : `; ${what}`} (revision ${revision.slice(0, 12)})`,
    );
  }

  undelivered(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`A CHANGE COULD NOT BE MADE LIVE: ${message}\n`);
  }

  buildProblems(problems: readonly BuildProblem[]): void {
    for (const { route, problems: own, keepsServing } of problems) {
      const label = route === null ? 'config.json' : `route ${route.id} of ${route.router}`;
      for (const problem of own) process.stderr.write(`${problemText(problem, { label })}\n`);
      const consequence = keepsServing ? 'THE LAST GOOD VERSION KEEPS SERVING' : 'ITS REQUESTS ARE REFUSED';
      process.stderr.write(`${label}: ${consequence}\n\n`);
    }
  }

  /** `admin.json` is read once, when the process starts. */
  adminChanged(file: SourceFile | null): void {
    const isFirst = this.admin === undefined;
    const changed = this.admin !== file;
    this.admin = file;
    if (changed && !isFirst)
      process.stderr.write('admin.json has changed: it takes effect when the process is restarted\n');
  }

  started(instance: Instance, compilation: Compilation, plane: Plane, prefix: string, watch: boolean): void {
    const { layout, admin } = instance;
    const isDefault = instance.source.state.config === null;
    say(versionLine());
    say(`instance    ${layout.instance}`);
    say(`admin.json  ${admin.verdict === null ? 'none: the defaults hold' : shownPath(admin.verdict.file.path)}`);
    const config = shownPath(join(layout.config, 'config.json'));
    say(`config.json ${isDefault ? 'none: the routes, and a welcome page' : config}`);
    for (const line of routeLines(compilation, watch, MOST_LISTED)) say(line);
    const warnings = compilation.verdicts
      .flatMap((verdict) => verdict.problems)
      .filter((one) => one.severity === 'warning');
    if (warnings.length > 0) say(`${warnings.length} warning${warnings.length === 1 ? '' : 's'}, see above`);
    say(`traffic     ${url(plane.address)}`);
    if (plane.adminAddress === undefined) return;
    const at = url(plane.adminAddress);
    say(`health      ${at}/health/live and ${at}/health/ready`);
    say(`metrics     ${at}/${prefix}/metrics/prometheus and ${at}/${prefix}/metrics/api?_queryFilter=true`);
  }
}

function url({ host, port }: { readonly host: string; readonly port: number }): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
