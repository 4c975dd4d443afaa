import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { InjectionTerms } from '../../../controller/injection/inject-pod.ts';
import { sidecarSettings } from '../../../controller/injection/sidecar-settings.ts';

/** What sidecars are made of where a test asks for nothing else. */
export const plainSettings = sidecarSettings.parse({
  image: 'gatewarden:1.0.0',
  controllers: ['gatewarden-controller.gatewarden.svc:9443'],
  excludedNamespaces: ['gatewarden'],
});

/** Terms under which a Pod of the namespace `shop` gets a sidecar. */
export const plainTerms: InjectionTerms = { namespace: 'shop', settings: plainSettings, authorities: 'PEM\n' };

export interface PodParts {
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  /** Added to the spec, which has one container with port 8080. */
  readonly spec?: JsonObject;
}

/** A Pod that asks for a sidecar. */
export function plainPod({ labels = {}, annotations, spec = {} }: PodParts = {}): JsonObject {
  const named = Object.entries(annotations ?? {}).map(([name, value]) => [`gatewarden.io/${name}`, value]);
  return {
    metadata: {
      name: 'web',
      labels: { app: 'web', 'gatewarden.io/inject': 'true', ...labels },
      ...(annotations === undefined ? {} : { annotations: Object.fromEntries(named) as JsonObject }),
    },
    spec: { containers: [{ name: 'app', image: 'app:1', ports: [{ containerPort: 8080 }] }], ...spec },
  };
}
