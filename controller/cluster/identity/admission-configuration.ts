import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { GROUP, VERSION } from '../../../contract/resources/resource.ts';
import { ADMISSION_PATH, BASE_ADMISSION_PATH } from '../../admission/admission-server.ts';

/** Where the API server finds the webhook: behind a Service of the cluster, or at an origin such as `https://host:8443`. */
export type AdmissionTarget =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } }
  | { readonly origin: string };

export interface AdmissionConfigurationOptions {
  /** Name of the ValidatingWebhookConfiguration. */
  readonly name: string;
  readonly target: AdmissionTarget;
  /** Whether objects pass unjudged when the webhook cannot be asked; by default they do. */
  readonly failurePolicy?: 'Ignore' | 'Fail';
  /** How long the API server waits for an answer; by default 5. */
  readonly timeoutSeconds?: number;
  /** The ConfigMap of the base configuration, which is judged too; by default none. */
  readonly base?: { readonly namespace: string; readonly name: string };
  /** Label selector of the namespaces whose objects are judged; by default all. */
  readonly namespaceSelector?: JsonObject;
}

/** The name of the webhook for resources, which users see when it denies something. */
export const WEBHOOK_NAME = `admission.${GROUP}`;
/** The name of the webhook for the base configuration. */
const BASE_WEBHOOK_NAME = `base.${GROUP}`;

/** The ValidatingWebhookConfiguration as it is to be. @param caBundle authorities of the webhook's certificate, in PEM */
export function admissionConfiguration(options: AdmissionConfigurationOptions, caBundle: string): JsonObject {
  const { name, target, failurePolicy = 'Ignore', timeoutSeconds = 5, namespaceSelector = {} } = options;
  const clientConfig = (path: string): JsonObject => ({
    ...('service' in target ? { service: { ...target.service, path } } : { url: `${target.origin}${path}` }),
    caBundle: Buffer.from(caBundle).toString('base64'),
  });
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name, labels: { 'app.kubernetes.io/part-of': 'gatewarden' } },
    webhooks: [
      {
        name: WEBHOOK_NAME,
        admissionReviewVersions: ['v1'],
        clientConfig: clientConfig(ADMISSION_PATH),
        failurePolicy,
        matchPolicy: 'Equivalent',
        namespaceSelector,
        objectSelector: {},
        rules: [
          rule(['routes'], ['CREATE', 'UPDATE']),
          // nothing depends on a Route, but Routes depend on these
          rule(['secretstores', 'auditservices'], ['CREATE', 'UPDATE', 'DELETE']),
        ],
        sideEffects: 'None',
        timeoutSeconds,
      },
      ...(options.base === undefined ? [] : [baseWebhook(options.base, clientConfig, timeoutSeconds)]),
    ],
  };
}

/** While no controller can be asked, the base configuration passes: it may be what brings controllers back. */
function baseWebhook(
  base: { readonly namespace: string; readonly name: string },
  clientConfig: (path: string) => JsonObject,
  timeoutSeconds: number,
): JsonObject {
  return {
    name: BASE_WEBHOOK_NAME,
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfig(BASE_ADMISSION_PATH),
    failurePolicy: 'Ignore',
    matchPolicy: 'Equivalent',
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': base.namespace } },
    objectSelector: {},
    matchConditions: [{ name: 'base-configuration', expression: `request.name == '${base.name}'` }],
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['configmaps'],
        operations: ['CREATE', 'UPDATE'],
        scope: 'Namespaced',
      },
    ],
    sideEffects: 'None',
    timeoutSeconds,
  };
}

function rule(resources: readonly string[], operations: readonly string[]): JsonObject {
  return { apiGroups: [GROUP], apiVersions: [VERSION], resources, operations, scope: 'Namespaced' };
}

/** The webhooks of a configuration. */
export function webhooksOf(configuration: JsonValue | undefined): readonly JsonObject[] {
  const webhooks = isJsonObject(configuration) ? configuration['webhooks'] : undefined;
  return Array.isArray(webhooks) ? webhooks.filter(isJsonObject) : [];
}

/** The authorities that a webhook's certificate is checked with; null when there are none. */
export function caBundleOf(webhook: JsonObject): string | null {
  const config = webhook['clientConfig'];
  const bundle = isJsonObject(config) ? config['caBundle'] : undefined;
  return typeof bundle === 'string' ? bundle : null;
}

/** Whether a value has everything of another one; more than that only the server may have added to objects. */
export function covers(actual: JsonValue | undefined, wanted: JsonValue): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual) || actual.length !== wanted.length) return false;
    return wanted.every((one, at) => covers(actual[at], one));
  }
  if (!isJsonObject(wanted)) return actual === wanted;
  const keys = Object.keys(wanted);
  if (!isJsonObject(actual) || (keys.length === 0 && Object.keys(actual).length > 0)) return false;
  return keys.every((key) => Object.hasOwn(actual, key) && covers(actual[key], wanted[key] ?? null));
}
