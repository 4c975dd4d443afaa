import { z } from 'zod';
import { isOlder, type SourceVersion } from '../../../contract/snapshot.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { errorText } from '../../../platform/error-text.ts';
import { type BaseRecord, readBaseRecord } from '../../compile/base-record.ts';
import type { Compiler } from '../../compile/compiler.ts';
import { type LastGood, nothingGood } from '../../compile/last-good.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { SecretText } from '../secret-text.ts';

export interface KeptBaseOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly namespace: string;
  /** Name of the Secret, which only controllers may read. An empty one is filled. */
  readonly secret: string;
  readonly clock?: Clock;
  /** Milliseconds from one look to the next. */
  readonly interval?: number;
  /** Of several controllers one writes. */
  isLeader(): boolean;
  /** Hears of a failure to read or write the record; the next look tries again. */
  failed(message: string): void;
}

interface Kept {
  readonly record: BaseRecord;
  /** The ConfigMap that the record was made from; null when there was none. */
  readonly source: SourceVersion | null;
}

const KEY = 'base.json';

const keptSchema = z.object({
  record: z.unknown(),
  source: z.object({ uid: z.string(), resourceVersion: z.string() }).nullable(),
});

/** The last good base configuration in a Secret, so that controllers that start with a bad one have something to serve. */
export class KeptBase {
  private readonly options: KeptBaseOptions;
  private readonly clock: Clock;
  private readonly stored: SecretText;
  private wanted: Kept | null = null;
  private running: Promise<void> | null = null;
  private callOff: () => void = () => undefined;
  private isClosed = false;

  constructor(options: KeptBaseOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    const { api, namespace, secret } = options;
    this.stored = new SecretText({ api, namespace, name: secret, key: KEY });
  }

  /**
   * What a controller before this one kept; null when there is nothing, or nothing that can be read.
   * @throws ApiError while the API server cannot be asked
   */
  async read(): Promise<BaseRecord | null> {
    try {
      const there = await this.stored.read();
      return this.keptIn(there?.text ?? '')?.record ?? null;
    } catch (error) {
      const isAway = error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
      if (isAway) throw error;
      this.options.failed(errorText(error));
      return null;
    }
  }

  /** What is good to begin with. @throws ApiError while the API server cannot be asked */
  async lastGood(compiler: Pick<Compiler, 'restored'>): Promise<LastGood> {
    const record = await this.read();
    return record === null ? nothingGood : compiler.restored(record);
  }

  /** This is good now, and is to be kept. */
  keep(record: BaseRecord, source: SourceVersion | null): void {
    const before = this.wanted;
    this.wanted = { record, source };
    if (before === null || !isSameRecord(before.record, record)) void this.check();
  }

  /** Looks whether the Secret holds what is good, and writes it if this controller leads. Goes on looking. */
  check(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.running ??= this.look()
      .catch((error: unknown) => this.options.failed(errorText(error)))
      .finally(() => {
        this.running = null;
        this.callOff();
        if (!this.isClosed) this.callOff = this.clock.after(this.options.interval ?? 30_000, () => void this.check());
      });
    return this.running;
  }

  close(): void {
    this.isClosed = true;
    this.callOff();
  }

  private async look(): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const { wanted } = this;
      if (wanted === null || !this.options.isLeader()) return;
      await this.write(wanted);
      // what became good meanwhile is written at once
      isDone = this.wanted !== null && isSameRecord(this.wanted.record, wanted.record);
    }
  }

  private async write(wanted: Kept): Promise<void> {
    const there = await this.stored.read();
    const before = this.keptIn(there?.text ?? '');
    if (before !== null && isOverdue(wanted, before)) return;
    if (before !== null && JSON.stringify(before.record) === JSON.stringify(wanted.record)) return;
    const isWritten = await this.stored.write(JSON.stringify(wanted), there);
    const { namespace, secret } = this.options;
    if (!isWritten) throw new Error(`another program wrote the Secret ${namespace}/${secret} at the same time`);
  }

  private keptIn(text: string): Kept | null {
    if (text === '') return null;
    const { namespace, secret } = this.options;
    try {
      const { record: raw, source } = keptSchema.parse(JSON.parse(text));
      const record = readBaseRecord(raw);
      if (record !== null) return { record, source };
    } catch {
      // told below
    }
    this.options.failed(`${KEY} of the Secret ${namespace}/${secret} is not a saved base configuration`);
    return null;
  }
}

/** Whether a controller that is behind would replace what a newer version of the ConfigMap said. */
function isOverdue({ source: own }: Kept, { source: kept }: Kept): boolean {
  return own !== null && kept !== null && isOlder(own, kept);
}

/** The compiler keeps the objects of what stays as it is. */
function isSameRecord(a: BaseRecord, b: BaseRecord): boolean {
  return a.config?.document === b.config?.document && a.admin === b.admin && a.trust?.settings === b.trust?.settings;
}
