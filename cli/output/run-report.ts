import { setImmediate as nextTurn } from 'node:timers/promises';
import { problemText } from '../../contract/problem-text.ts';
import type { Update } from '../../contract/snapshot.ts';
import type { Compilation } from '../../controller/compile/compiler.ts';
import type { SourceFile } from '../../controller/compile/source-file.ts';
import { hasErrors, type Verdict } from '../../controller/compile/verdict.ts';
import type { BuildProblem } from '../../dataplane/routes/configuration.ts';
import { errorText } from '../../platform/error-text.ts';
import { type Tell, tellAsText } from './tell.ts';
import { MOST_SHOWN, subjectOf, verdictReport } from './verdict-text.ts';

interface Said {
  readonly verdict: Verdict;
  readonly text: string;
}

/** A valid route that could not be built is not tried again by itself. */
const UNBUILT = 'REQUESTS THAT MATCH THIS ROUTE GET 500 until its file changes or the gateway restarts';

/** Milliseconds for which reports may keep the main thread, which answers health checks. */
const SLICE = 20;

/**
 * What is told of an instance on the standard error: until it serves, what is wrong, as people read it; from then on
 * everything that becomes of its files.
 */
export class RunReport {
  private readonly later: Tell;
  private tell: Tell = tellAsText;
  /** What was last said of each file. */
  private said = new Map<string, Said>();
  private admin: SourceFile | null | undefined;
  private reporting: Promise<void> | null = null;
  /** What is to be said next; an older compilation that waits is of no interest. */
  private waiting: readonly Verdict[] | null = null;

  /** @param later how it is told once the instance serves */
  constructor(later: Tell) {
    this.later = later;
  }

  /** The instance serves. */
  started(): void {
    this.tell = this.later;
  }

  /** Something that whoever starts the instance should know. */
  warning(message: string): void {
    this.tell({ level: 'warn', message: `warning: ${message}` });
  }

  /** Says of every file what was not said before. Resolves when it is said; it never rejects. */
  problems(verdicts: readonly Verdict[]): Promise<void> {
    this.waiting = verdicts;
    this.reporting ??= this.report().finally(() => {
      this.reporting = null;
    });
    return this.reporting;
  }

  private async report(): Promise<void> {
    while (this.waiting !== null) {
      await nextTurn(); // the compilation took long enough
      const verdicts = this.waiting;
      this.waiting = null;
      await this.changes(verdicts);
    }
  }

  private async changes(verdicts: readonly Verdict[]): Promise<void> {
    const told = this.said;
    this.said = new Map();
    let begun = performance.now();
    for (const verdict of verdicts) {
      if (verdict.problems.length === 0 && told.size === 0) continue;
      const key = `${verdict.route?.router ?? ''}\n${verdict.file.path}\n${verdict.within?.label ?? ''}`;
      const before = told.get(key);
      told.delete(key);
      if (before !== undefined && isAsBefore(before.verdict, verdict)) this.said.set(key, before);
      else this.change(key, verdict, before?.text ?? '');
      if (performance.now() - begun < SLICE) continue;
      await nextTurn();
      begun = performance.now();
    }
    for (const { verdict } of told.values()) {
      if (verdict.role === 'directory') this.recovered(verdict, 'readable again');
    }
  }

  /** A problem that cannot be told in full is told in short: nobody's traffic depends on it. */
  private change(key: string, verdict: Verdict, before: string): void {
    try {
      const { text, line, records } = verdictReport(verdict);
      if (text !== '') this.said.set(key, { verdict, text });
      if (text === before) return;
      if (text === '') {
        this.recovered(verdict, 'valid again');
        return;
      }
      const level = hasErrors(verdict.problems) ? 'error' : 'warn';
      this.tell({ level, message: line, text: `${text}\n`, fields: { ...fieldsOf(verdict), problems: records } });
    } catch (error) {
      const reason = errorText(error);
      const message = `${verdict.file.path}: has ${verdict.problems.length} problems, which cannot be shown: ${reason}`;
      this.tell({ level: 'error', message });
    }
  }

  private recovered(verdict: Verdict, how: string): void {
    this.tell({ level: 'info', message: `${subjectOf(verdict)}: ${how}`, fields: fieldsOf(verdict) });
  }

  compiled(compilation: Compilation, update: Update | null): void {
    void this.problems(compilation.verdicts);
    if (update?.base !== undefined && update.base !== null)
      this.tell({ level: 'info', message: 'config.json changed; all routes are rebuilt' });
  }

  delivered({ set, remove, revision }: Update, milliseconds: number): void {
    const names = (list: readonly { id: string }[]): string =>
      list.length > 5 ? `${list.length} routes` : list.map(({ id }) => id).join(', ');
    const parts = [
      set.length === 0 ? '' : `new or changed: ${names(set)}`,
      remove.length === 0 ? '' : `gone: ${names(remove)}`,
    ];
    const what = parts.filter((part) => part !== '').join('; ');
    const took = Math.ceil(milliseconds);
    this.tell({
      level: 'info',
      message: `reloaded in ${took} ms${what === '' ? '' : `; ${what}`} (revision ${revision.slice(0, 12)})`,
      fields: { revision, milliseconds: took, changed: set.length, gone: remove.length },
    });
  }

  undelivered(error: unknown): void {
    const reason = errorText(error);
    this.tell({ level: 'error', message: `CHANGE NOT APPLIED: ${reason}` });
  }

  buildProblems(problems: readonly BuildProblem[]): void {
    for (const { route, problems: own, keepsServing } of problems) {
      const label = route === null ? 'config.json' : `route ${route.id} of ${route.router}`;
      const consequence = route === null ? 'NOT LOADED' : UNBUILT;
      const message = `${label}: ${keepsServing ? 'THE LAST GOOD VERSION KEEPS SERVING' : consequence}`;
      const shown = own.slice(0, MOST_SHOWN);
      const left = own.length - shown.length;
      const texts = [
        ...shown.map((problem) => problemText(problem, { label })),
        ...(left === 0 ? [] : [`… and ${left} more problems`]),
      ];
      this.tell({
        level: 'error',
        message,
        text: `${[...texts, message].join('\n')}\n`,
        fields: { ...(route === null ? {} : { route: route.id, router: route.router }), problems: shown },
      });
    }
  }

  /** `admin.json` is read once, when the process starts. */
  adminChanged(file: SourceFile | null): void {
    const isFirst = this.admin === undefined;
    const changed = this.admin !== file;
    this.admin = file;
    if (changed && !isFirst)
      this.tell({ level: 'warn', message: 'admin.json changed; restart the process to apply it' });
  }
}

/** Whether nothing new is to be said; what did not change is the same object, which saves reading the file again. */
function isAsBefore(before: Verdict, now: Verdict): boolean {
  if (before.file !== now.file || before.serves !== now.serves || before.within !== now.within) return false;
  const [old, problems] = [before.problems, now.problems];
  return old.length === problems.length && old.every((problem, index) => problem === problems[index]);
}

function fieldsOf({ file, route, serves }: Verdict): object {
  return { file: file.path, ...(route === null ? {} : { route: route.id, router: route.router }), serves };
}
