import type { JsonObject } from '../../contract/document/json-value.ts';
import type { Injection } from '../injection/inject-pod.ts';
import { errorsText, shortWarnings } from './admission-texts.ts';
import type { AdmissionVerdict } from './admission-verdict.ts';
import type { InjectionRequest } from './injection-request.ts';

/** Gives Pods their sidecars. */
export interface PodInjector {
  /** @throws Error when it does not have what a sidecar needs, which leaves the decision to the `failurePolicy` */
  inject(pod: JsonObject, namespace: string): Injection;
}

/** Answers whether a Pod may be as it is asked for, and what is put into it. */
export function injectionVerdict({ pod, namespace, name }: InjectionRequest, injector: PodInjector): AdmissionVerdict {
  const injection = pod === null ? null : injector.inject(pod, namespace);
  if (injection === null || injection.outcome === 'left-alone') return { denial: null, warnings: [] };
  if (injection.outcome === 'refused') {
    const message = errorsText(`Pod ${namespace}/${name}`, injection.problems);
    return { denial: { code: 422, reason: 'Invalid', message }, warnings: [] };
  }
  return { denial: null, warnings: shortWarnings(injection.warnings), additions: injection.additions };
}
