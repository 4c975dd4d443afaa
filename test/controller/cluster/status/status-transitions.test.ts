import { expect, it } from 'vitest';
import type { Condition, ResourceStatus } from '../../../../controller/cluster/status/resource-status.ts';
import { stateChanges } from '../../../../controller/cluster/status/status-transitions.ts';

/** Conditions as `Accepted`, `Accepted=Invalid`, `Programmed=Pending`: with a reason they are false. */
function status(text: string | null): ResourceStatus | null {
  if (text === null) return null;
  const conditions = text.split(' ').map((word): Condition => {
    const [type = '', reason] = word.split('=');
    return {
      type: type as Condition['type'],
      status: reason === undefined ? 'True' : 'False',
      reason: reason ?? type,
      message: 'why',
      observedGeneration: 3,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
  });
  return { observedGeneration: 3, conditions };
}

const fine = 'Accepted ResolvedRefs Programmed';

it.each<[string | null, string, string[]]>([
  [null, fine, ['Normal Programmed']],
  [fine, fine, []],
  [null, 'Accepted ResolvedRefs Programmed=Pending', []],
  ['Accepted ResolvedRefs Programmed=Pending', fine, ['Normal Programmed']],
  [fine, 'Accepted ResolvedRefs Programmed=Pending', []],
  [fine, 'Accepted ResolvedRefs Programmed=NoPlanes', []],
  [fine, 'Accepted=Invalid ResolvedRefs Programmed=LastGoodServes', ['Warning NotAccepted', 'Warning LastGoodServes']],
  [
    'Accepted=Invalid ResolvedRefs Programmed=LastGoodServes',
    'Accepted=NameTaken ResolvedRefs Programmed=LastGoodServes',
    [],
  ],
  ['Accepted=Invalid ResolvedRefs Programmed=LastGoodServes', fine, ['Normal Accepted', 'Normal Programmed']],
  [
    fine,
    'Accepted ResolvedRefs=StoreNotGranted Programmed=RefusesTraffic',
    ['Warning RefsNotResolved', 'Warning RefusesTraffic'],
  ],
  [
    'Accepted ResolvedRefs=StoreNotFound Programmed=RefusesTraffic',
    'Accepted ResolvedRefs=SecretNotFound Programmed=RefusesTraffic',
    ['Warning RefsNotResolved'],
  ],
  ['Accepted ResolvedRefs=StoreNotFound Programmed=RefusesTraffic', fine, ['Normal RefsResolved', 'Normal Programmed']],
  [null, 'Accepted ResolvedRefs=Pending Programmed=Pending', []],
  ['Accepted ResolvedRefs=Pending Programmed=Pending', fine, ['Normal Programmed']],
  [fine, 'Accepted ResolvedRefs Programmed=PlaneRefused', ['Warning PlaneRefused']],
  [null, 'Accepted ResolvedRefs Programmed=GroupNotGranted', ['Warning GroupNotGranted']],
  [null, 'Accepted=NotAvailable ResolvedRefs', ['Warning NotAccepted']],
])('from %s to %s reports %j', (before, after, told) => {
  expect(stateChanges(status(before), status(after)!).map(({ type, reason }) => `${type} ${reason}`)).toEqual(told);
});
