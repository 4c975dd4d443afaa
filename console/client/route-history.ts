import type { RouteState } from './route-state.ts';

/** Answers and errors of a route during the last minute or less. */
export interface RecentAnswers {
  readonly answered: number;
  readonly errors: number;
  readonly seconds: number;
}

interface Sample {
  readonly at: number;
  /** Position of each route in the figures. */
  readonly places: ReadonlyMap<string, number>;
  /** Answers and server errors, by pairs. */
  readonly figures: Float64Array;
}

const MOST_SAMPLES = 40;
const RECENT = 60_000;

/** Figures of routes as they were seen one after the other, because counters only tell something by their difference. */
export class RouteHistory {
  private samples: readonly Sample[] = [];

  add(at: number, states: readonly RouteState[]): void {
    const last = this.samples.at(-1);
    const figures = new Float64Array(states.length * 2);
    for (const [place, { figures: counted }] of states.entries()) {
      figures[place * 2] = counted?.answered ?? 0;
      figures[place * 2 + 1] = counted?.serverErrors ?? 0;
    }
    const isSame =
      last?.places.size === states.length && states.every(({ _id }, place) => last.places.get(_id) === place);
    const places = isSame ? last.places : new Map(states.map(({ _id }, place) => [_id, place]));
    this.samples = [...this.samples.slice(1 - MOST_SAMPLES), { at, places, figures }];
  }

  /** Returns what a route answered lately; null before there are two samples. */
  recent(id: string): RecentAnswers | null {
    const last = this.samples.at(-1);
    const first = this.samples.find(({ at }) => last !== undefined && last.at - at <= RECENT);
    if (last === undefined || first === undefined || first === last) return null;
    const [now, before] = [figuresIn(last, id), figuresIn(first, id)];
    if (now === null || before === null || now[0] < before[0]) return null;
    return { answered: now[0] - before[0], errors: now[1] - before[1], seconds: (last.at - first.at) / 1000 };
  }

  /** Returns answers per second between each two samples, the oldest first. */
  trend(id: string): number[] {
    return this.samples.slice(1).map((sample, at) => {
      const before = this.samples[at]!;
      const [now, then] = [figuresIn(sample, id), figuresIn(before, id)];
      if (now === null || then === null || sample.at <= before.at) return 0;
      return Math.max(0, now[0] - then[0]) / ((sample.at - before.at) / 1000);
    });
  }
}

function figuresIn({ places, figures }: Sample, id: string): readonly [answered: number, errors: number] | null {
  const place = places.get(id);
  return place === undefined ? null : [figures[place * 2]!, figures[place * 2 + 1]!];
}
