import { isJsonObject, type JsonObject } from '../../../contract/document/json-value.ts';
import { act, put, read, remove } from '../../client/rest-client.ts';
import { RestFailure } from '../../client/rest-failure.ts';
import { problemsOf, type RouteProblem } from '../../client/route-problem.ts';
import { Draft } from '../../draft/draft.ts';
import { writtenText } from '../../draft/draft-text.ts';
import { isAlike, orderedLike } from '../../draft/member-order.ts';

/** A route as the gateway has it. */
export interface ServedRoute {
  readonly id: string;
  /** Path below the API. */
  readonly path: string;
  readonly revision: string;
  readonly document: JsonObject;
}

/** The outcome of the last action. */
export interface Outcome {
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

/** A version that somebody else made while the draft was edited; null as the route if it was deleted. */
export interface Conflict {
  readonly theirs: ServedRoute | null;
}

/** Milliseconds without a change after which a draft is checked. */
const PAUSE = 250;

/** Returns a route of the gateway. @throws RestFailure */
export async function loadRoute(path: string, signal: AbortSignal): Promise<ServedRoute> {
  const { _id, _rev, ...document } = await read(path, signal);
  return { id: String(_id), path, revision: String(_rev), document };
}

/** A route that somebody edits: its draft, the version that it began from, and how it was judged. */
export class EditedRoute {
  readonly draft: Draft;
  /** Path of the routes of the same router, below the API. */
  private readonly collection: string;
  /** Id of the route, which can be edited. */
  id: string;
  /** The version that the draft began from; null for a new route. */
  base: ServedRoute | null;
  problems: readonly RouteProblem[] = [];
  /** True until the current text is checked. */
  isChecking = true;
  isBusy = false;
  outcome: Outcome | null = null;
  conflict: Conflict | null = null;
  private readonly listeners = new Set<() => void>();
  private timer = 0;
  private under: AbortController | null = null;

  /** @param collection path of the routes that a new one belongs to */
  constructor(id: string, base: ServedRoute | null, document: JsonObject, collection = 'routes') {
    this.id = id;
    this.base = base;
    this.collection = base === null ? collection : base.path.slice(0, base.path.lastIndexOf('/'));
    this.draft = new Draft(writtenText(document, 'json'), 'json');
    this.draft.subscribe(() => this.edited());
    this.check(0);
  }

  /** True if the draft has something that the gateway does not have. */
  get isChanged(): boolean {
    if (this.base === null) return true;
    return this.id !== this.base.id || JSON.stringify(this.draft.document) !== JSON.stringify(this.base.document);
  }

  get hasErrors(): boolean {
    return this.draft.faults.length > 0 || this.problems.some(({ severity }) => severity === 'error');
  }

  /** True if deploying creates a route. */
  get isNew(): boolean {
    return this.base === null || this.id !== this.base.id;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  rename(id: string): void {
    this.id = id;
    this.edited();
  }

  /** Takes note of the version that the gateway has now. @param now null if the route is gone */
  seen(now: ServedRoute | null): void {
    if (this.base === null || this.isBusy || now?.revision === this.base.revision) return;
    if (now !== null && isAlike(now.document, this.base.document)) {
      this.base = { ...now, document: this.base.document };
    } else if (now !== null && !this.isChanged) {
      this.take(now);
      this.outcome = { tone: 'good', text: 'Somebody else changed the route. The page shows the new version.' };
    } else if (this.conflict?.theirs?.revision !== now?.revision || this.conflict === null) {
      this.conflict = { theirs: now };
    }
    this.tell();
  }

  /** Replaces the draft by another version, which can be undone. */
  take(version: ServedRoute): void {
    this.id = version.id;
    this.conflict = null;
    this.base = { ...version, document: orderedLike(version.document, this.draft.document) };
    this.draft.setText(writtenText(this.base.document, this.draft.format));
    this.edited();
  }

  /** Makes their version the one that the draft changes, so that the next deployment replaces it. */
  replaceTheirs(): void {
    if (this.conflict === null) return;
    const { theirs } = this.conflict;
    this.base = theirs && { ...theirs, document: orderedLike(theirs.document, this.draft.document) };
    this.conflict = null;
    this.tell();
  }

  /** Puts a document into the draft, such as an earlier version. */
  restore(document: JsonObject): void {
    this.draft.setText(writtenText(orderedLike(document, this.draft.document), this.draft.format));
  }

  /**
   * Sends the draft to the gateway.
   *
   * @param isRenamed true to remove the route with the id before
   * @returns true if the gateway serves it
   */
  async deploy(isRenamed: boolean): Promise<boolean> {
    const { draft, base, isNew } = this;
    const { document } = draft;
    if (!isJsonObject(document) || draft.faults.length > 0) return false;
    const path = isNew ? `${this.collection}/${encodeURIComponent(this.id)}` : base!.path;
    return this.busy(async (signal) => {
      const { _id, _rev, ...content } = await put(path, document, isNew ? null : base!.revision, signal);
      const isSent = isAlike(content, document);
      this.base = { id: String(_id), path, revision: String(_rev), document: isSent ? document : content };
      this.outcome = {
        tone: 'good',
        text: isNew ? `Created ‘${this.id}’. It serves now.` : 'Deployed. It serves now.',
      };
      if (isNew && isRenamed && base !== null) await remove(base.path, base.revision, signal);
      // The gateway writes some values in its own way, such as hidden secrets.
      if (!isSent) draft.set([], content);
    });
  }

  /** Deletes the route. @returns true if it is gone */
  async delete(): Promise<boolean> {
    const { base } = this;
    return base !== null && this.busy((signal) => remove(base.path, base.revision, signal));
  }

  private async busy(run: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    this.isBusy = true;
    this.outcome = null;
    this.tell();
    try {
      await run(new AbortController().signal);
      return true;
    } catch (error) {
      await this.failed(error);
      return false;
    } finally {
      this.isBusy = false;
      this.tell();
    }
  }

  private async failed(error: unknown): Promise<void> {
    if (!(error instanceof RestFailure)) throw error;
    const { status, message, detail } = error;
    if (isJsonObject(detail)) this.problems = problemsOf(detail['problems']);
    this.outcome = { tone: 'bad', text: `Not deployed: ${message}.`.replace(/\.\.$/, '.') };
    if (status !== 412 || this.base === null || this.isNew) return;
    const theirs = await loadRoute(this.base.path, new AbortController().signal).catch(() => null);
    this.conflict = { theirs };
    this.outcome = null;
  }

  private edited(): void {
    this.outcome = null;
    this.check(PAUSE);
    this.tell();
  }

  /** Has the gateway check the document after a pause. */
  private check(pause: number): void {
    window.clearTimeout(this.timer);
    this.under?.abort();
    this.isChecking = true;
    this.timer = window.setTimeout(() => void this.judge(), pause);
  }

  private async judge(): Promise<void> {
    const { document, faults } = this.draft;
    const under = new AbortController();
    this.under = under;
    try {
      if (faults.length > 0) this.problems = [];
      else if (!isJsonObject(document)) this.problems = [NO_OBJECT];
      else if (this.id.startsWith('.')) this.problems = [NO_NAMESPACE];
      else {
        const body = { ...document, ...(this.id === '' ? {} : { _id: this.id }) };
        const { problems } = await act(this.collection, 'validate', body, under.signal);
        this.problems = problemsOf(problems);
      }
    } catch (error) {
      if (under.signal.aborted) return;
      if (!(error instanceof RestFailure)) throw error;
      const { message } = error;
      this.problems = [
        { severity: 'warning', code: '', path: '', message: `The document was not checked: ${message}` },
      ];
    }
    this.isChecking = false;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

const NO_OBJECT: RouteProblem = { severity: 'error', code: 'value', path: '', message: 'must be an object' };

/** Also for ids that begin with a dot, which no gateway accepts. */
const NO_NAMESPACE: RouteProblem = {
  ...{ severity: 'warning', code: '', path: '' },
  message: 'The document is checked when the route has a namespace',
};
