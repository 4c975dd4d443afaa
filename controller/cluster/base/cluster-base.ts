import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { BaseJudge } from '../../admission/base-review.ts';
import { baseRecordOf } from '../../compile/base-record.ts';
import type { Compilation } from '../../compile/compiler.ts';
import type { LastGood } from '../../compile/last-good.ts';
import { untilReachable } from '../api/until-reachable.ts';
import type { ClusterControllerOptions } from '../cluster-controller-options.ts';
import { judgeBase } from './base-judge.ts';
import { BaseNews, type BaseNewsOptions } from './base-news.ts';
import { KeptBase } from './kept-base.ts';

type ControllerPart = Pick<ClusterControllerOptions, 'api' | 'log' | 'compiler' | 'version' | 'shared'>;

export interface ClusterBaseOptions extends BaseNewsOptions, ControllerPart {}

/** The base configuration of a controller: what was good, whether what is written is, and who hears of it. */
export class ClusterBase {
  readonly news: BaseNews;
  /** Judges what somebody wants to write. */
  readonly judge: BaseJudge;
  private readonly options: ClusterBaseOptions;
  private readonly kept: KeptBase;
  private newest: Compilation | null = null;

  constructor(options: ClusterBaseOptions) {
    this.options = options;
    const { api, log, base, shared, compiler, version, isLeader } = options;
    this.news = new BaseNews(options);
    this.kept = new KeptBase({
      api,
      namespace: base.namespace,
      secret: shared.baseSecret,
      isLeader,
      failed: (error) => log.warn({ error }, 'could not read or write the last good base configuration'),
    });
    this.judge = {
      base,
      version,
      judge: (object) => (this.newest === null ? null : judgeBase(object, compiler, this.newest)),
    };
  }

  /** What was good when a controller was here before. */
  lastGood(): Promise<LastGood> {
    const { compiler, log } = this.options;
    return untilReachable(() => this.kept.lastGood(compiler), log);
  }

  /** Hears of the newest compilation. */
  compiled(compilation: Compilation, source: SourceVersion | null): void {
    this.newest = compilation;
    this.kept.keep(baseRecordOf(compilation.lastGood), source);
    this.news.compiled(compilation, source);
  }

  /** This controller leads from now on. */
  lead(): void {
    void this.kept.check();
    this.news.tell();
  }

  close(): void {
    this.kept.close();
  }
}
