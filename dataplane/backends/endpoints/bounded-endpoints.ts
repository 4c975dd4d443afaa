import type { Logger } from 'pino';
import type { EndpointSpec } from './balanced-endpoint.ts';
import type { EndpointMeter } from './endpoint-meter.ts';
import type { EndpointRoom } from './endpoint-room.ts';
import type { EndpointSource } from './endpoint-source.ts';
import { mixed, textHash } from './text-hash.ts';

export interface BoundedEndpointsOptions {
  readonly room: EndpointRoom;
  /** Places that each endpoint takes. */
  readonly places: number;
  /** Tells the Backends from others: each uses other endpoints if it cannot use all. */
  readonly identity: string;
  readonly meter: EndpointMeter;
  readonly log: Logger;
}

/** A list of endpoints that is cut to the room that the tenant has for it. */
export function boundedEndpoints(source: EndpointSource, options: BoundedEndpointsOptions): EndpointSource {
  const { room, places, identity, meter, log } = options;
  const salt = textHash(identity);
  let changed = (): void => {};
  const share = room.join(places, () => changed());
  let leftOut = 0;

  function cut(specs: readonly EndpointSpec[]): readonly EndpointSpec[] {
    const count = share.take(specs.length);
    const isNews = leftOut === 0 && count < specs.length;
    leftOut = specs.length - count;
    if (isNews) {
      const counts = { endpoints: specs.length, used: count };
      log.warn(counts, 'the Backends of the tenant have too many endpoints together; only some of these are used');
    }
    if (leftOut === 0) return specs;
    const ranked = specs.map((spec) => ({ spec, rank: mixed(salt ^ textHash(spec.key)) }));
    ranked.sort((a, b) => Number(a.spec.isFar === true) - Number(b.spec.isFar === true) || a.rank - b.rank);
    return ranked.slice(0, count).map(({ spec }) => spec);
  }

  return {
    get interval() {
      return source.interval;
    },
    get none() {
      return source.none;
    },
    ask() {
      const answer = source.ask();
      return answer instanceof Promise ? answer.then(cut) : cut(answer);
    },
    follow(listener) {
      changed = listener;
      const ends = [source.follow?.(listener), meter.showsLeftOut(() => leftOut), () => share.leave()];
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}
