import type { Condition, ResourceStatus } from './resource-status.ts';

/** Event for a state change of an object. */
export interface StateChange {
  readonly type: 'Normal' | 'Warning';
  readonly reason:
    | 'Accepted'
    | 'NotAccepted'
    | 'RefsResolved'
    | 'RefsNotResolved'
    | 'Programmed'
    | 'PlaneRefused'
    | 'LastGoodServes'
    | 'RefusesTraffic'
    | 'TakesNoTraffic'
    | 'GroupNotGranted'
    | 'BaseConfigurationInvalid'
    | 'BaseConfigurationAccepted'
    | 'AccessManagerLoginFailed'
    | 'AccessManagerLoginRestored'
    | 'CertificatesNotReady'
    | 'CertificatesReady'
    | 'ScriptSuspended'
    | 'ScriptResumed';
  readonly note: string;
}

/** Reasons of the condition Programmed that people should hear of. */
const WARNINGS = ['PlaneRefused', 'LastGoodServes', 'RefusesTraffic', 'TakesNoTraffic', 'GroupNotGranted'] as const;

/** Changes between two states of an object, for its Events. A different number of data planes is not a change. */
export function stateChanges(before: ResourceStatus | null, after: ResourceStatus): StateChange[] {
  const changes: StateChange[] = [];
  const pair = (type: Condition['type']) => [conditionOf(before, type), conditionOf(after, type)] as const;

  const [wasAccepted, accepted] = pair('Accepted');
  if (accepted?.status === 'False' && wasAccepted?.status !== 'False') {
    changes.push({ type: 'Warning', reason: 'NotAccepted', note: `${accepted.reason}: ${accepted.message}` });
  } else if (accepted?.status === 'True' && wasAccepted?.status === 'False') {
    changes.push({ type: 'Normal', reason: 'Accepted', note: `generation ${after.observedGeneration} is valid` });
  }

  const [wasResolved, resolved] = pair('ResolvedRefs');
  if (resolved?.status === 'False' && resolved.reason !== 'Pending' && wasResolved?.reason !== resolved.reason) {
    changes.push({ type: 'Warning', reason: 'RefsNotResolved', note: `${resolved.reason}: ${resolved.message}` });
  } else if (resolved?.status === 'True' && wasResolved?.status === 'False' && wasResolved.reason !== 'Pending') {
    changes.push({ type: 'Normal', reason: 'RefsResolved', note: 'all references are resolved' });
  }

  const [wasProgrammed, programmed] = pair('Programmed');
  if (programmed?.status === 'True' && wasProgrammed?.status !== 'True') {
    const note = `generation ${programmed.observedGeneration} runs on all data planes that it selects`;
    changes.push({ type: 'Normal', reason: 'Programmed', note });
  }
  const warning = WARNINGS.find((reason) => reason === programmed?.reason);
  if (warning !== undefined && wasProgrammed?.reason !== warning) {
    changes.push({ type: 'Warning', reason: warning, note: programmed?.message ?? '' });
  }

  const [couldNotLogIn, login] = pair('AccessManagerLogin');
  if (login !== undefined && couldNotLogIn === undefined) {
    changes.push({ type: 'Warning', reason: 'AccessManagerLoginFailed', note: login.message });
  } else if (login === undefined && couldNotLogIn !== undefined) {
    const note = 'the agents of all AmServices can log in';
    changes.push({ type: 'Normal', reason: 'AccessManagerLoginRestored', note });
  }

  const [wereReady, ready] = pair('Certificates');
  if (ready?.status === 'False' && ready.reason !== 'Pending' && wereReady?.reason !== ready.reason) {
    changes.push({ type: 'Warning', reason: 'CertificatesNotReady', note: `${ready.reason}: ${ready.message}` });
  } else if (ready?.status === 'True' && wereReady?.status === 'False' && wereReady.reason !== 'Pending') {
    changes.push({ type: 'Normal', reason: 'CertificatesReady', note: ready.message });
  }

  const [wasSuspended, suspended] = pair('ScriptsRunning');
  if (suspended !== undefined && wasSuspended === undefined) {
    changes.push({ type: 'Warning', reason: 'ScriptSuspended', note: suspended.message });
  } else if (suspended === undefined && wasSuspended !== undefined) {
    changes.push({ type: 'Normal', reason: 'ScriptResumed', note: 'its scripts run within their limits again' });
  }
  return changes;
}

function conditionOf(status: ResourceStatus | null, type: Condition['type']): Condition | undefined {
  return status?.conditions.find((one) => one.type === type);
}
