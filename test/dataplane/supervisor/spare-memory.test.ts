import { expect, it } from 'vitest';
import { COUNTER, COUNTER_SLOTS, type CounterName } from '../../../dataplane/engine/wire/counters.ts';
import { servesTraffic } from '../../../dataplane/supervisor/spare-memory.ts';

it.each<CounterName>(['requestsActive', 'tunnelsOpen', 'webSocketsOpen'])(
  'a thread serves traffic as long as there are %s',
  (name) => {
    const block = new Float64Array(COUNTER_SLOTS);
    const isBusy = servesTraffic(block);
    const looks = [0, 1, 1, 0].map((open) => {
      block[COUNTER[name]] = open;
      return isBusy();
    });
    expect(looks).toEqual([false, true, true, false]);
  },
);

it.each<CounterName>(['status2xx', 'status3xx', 'status4xx', 'status5xx', 'statusOther'])(
  'a thread served traffic when it answered more than probes since the last look: %s',
  (name) => {
    const block = new Float64Array(COUNTER_SLOTS);
    const isBusy = servesTraffic(block);
    const looks = [5, 2505, 2515, 5015, 5015].map((answered) => {
      block[COUNTER[name]] = answered;
      return isBusy();
    });
    expect(looks).toEqual([false, true, false, true, false]);
  },
);
