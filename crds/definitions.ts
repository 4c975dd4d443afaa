import { stringify } from 'yaml';
import type { z } from 'zod';
import { auditServiceSpec } from '../contract/resources/audit-service-resource.ts';
import { GROUP, type ResourceKind, VERSION } from '../contract/resources/resource.ts';
import { referredStatus, routeStatus } from '../contract/resources/resource-status.ts';
import { routeSpec } from '../contract/resources/route-resource.ts';
import { secretStoreSpec } from '../contract/resources/secret-store-resource.ts';
import { routeHistoryDefinition } from './route-history-definition.ts';
import { structuralSchema } from './structural-schema.ts';

const ORIGIN = '# Written by `npm run crds` from contract/resources/. Change that instead.\n';

interface Column {
  readonly name: string;
  readonly type: 'string' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** Shown with `-o wide` only. */
  readonly priority?: 1;
}

/** A custom resource, as its definition and its page tell of it. */
export interface ResourceDefinition {
  readonly kind: ResourceKind;
  readonly plural: string;
  readonly shortName: string;
  readonly summary: string;
  readonly about: string;
  /** A manifest. */
  readonly example: string;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  readonly columns: readonly Column[];
}

const conditionColumn = (name: string, type: string, description: string, priority?: 1): Column => ({
  name,
  type: 'string',
  jsonPath: `.status.conditions[?(@.type=="${type}")].status`,
  description,
  ...(priority === undefined ? {} : { priority }),
});

const accepted = conditionColumn('Accepted', 'Accepted', 'Whether this generation is valid.');
const certified = conditionColumn('Certificates', 'Certificates', 'Whether all certificates are shown and valid.', 1);
const resolved = (priority?: 1): Column =>
  conditionColumn('Resolved', 'ResolvedRefs', 'Whether all references exist and may be used.', priority);
const message: Column = {
  name: 'Message',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Accepted")].message',
  description: 'Problems of the resource.',
  priority: 1,
};
const age: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since its creation.',
};

/** The custom resources. */
export const resourceDefinitions: readonly ResourceDefinition[] = [
  {
    kind: 'Route',
    plural: 'routes',
    shortName: 'gwr',
    summary: 'A route of the gateway: the condition for its requests, and the handler that answers them.',
    about:
      'The route document, and the data planes that serve it. Any other key is the name of a decorator that is applied ' +
      'to the handler, such as baseURI, capture or timer.',
    example: `
apiVersion: gatewarden.io/v1alpha1
kind: Route
metadata: { name: orders, namespace: shop }
spec:
  condition: \${find(request.uri.path, '^/orders')}
  baseURI: http://orders.shop.svc:8080
  handler:
    type: Chain
    config:
      filters:
        - type: OAuth2ResourceServerFilter
          config:
            scopes: [orders:read]
            accessTokenResolver:
              type: StatelessAccessTokenResolver
              config: { issuer: https://id.example.com, secretsProvider: issuer-keys, verificationSecretId: verify }
      handler: ReverseProxyHandler
`,
    spec: routeSpec,
    status: routeStatus,
    columns: [
      accepted,
      {
        name: 'Programmed',
        type: 'string',
        jsonPath: '.status.programmed',
        description: 'Number of selected data planes that run it.',
      },
      {
        name: 'Condition',
        type: 'string',
        jsonPath: '.spec.condition',
        description: 'Condition for its requests.',
      },
      resolved(1),
      certified,
      message,
      age,
    ],
  },
  {
    kind: 'SecretStore',
    plural: 'secretstores',
    shortName: 'gwss',
    summary: 'A secret store for Routes, and the Kubernetes Secrets that provide its contents.',
    about:
      'Type and configuration of the store, the Secrets that provide its files or values, and the namespaces that may use it.',
    example: `
apiVersion: gatewarden.io/v1alpha1
kind: SecretStore
metadata: { name: issuer-keys, namespace: shop }
spec:
  type: FileSystemSecretStore
  config: { format: { type: PemPropertyFormat } }
  secrets:
    - name: issuer-keys
      items: [{ key: issuer.pem, file: verify }]
`,
    spec: secretStoreSpec,
    status: referredStatus,
    columns: [
      { name: 'Type', type: 'string', jsonPath: '.spec.type', description: 'Type of the store.' },
      accepted,
      resolved(),
      message,
      age,
    ],
  },
  {
    kind: 'AuditService',
    plural: 'auditservices',
    shortName: 'gwas',
    summary:
      'An audit service for the requests of Routes. Data planes run it once for all Routes of a tenant that name it.',
    about: 'Recorded events, event handlers, and the namespaces that may use the service.',
    example: `
apiVersion: gatewarden.io/v1alpha1
kind: AuditService
metadata: { name: audit, namespace: shop }
spec:
  eventHandlers:
    - class: SyslogAuditEventHandler
      config: { name: syslog, topics: [access], protocol: TCP, host: syslog.example.com, port: 514, facility: LOCAL0 }
`,
    spec: auditServiceSpec,
    status: referredStatus,
    columns: [accepted, resolved(), message, age],
  },
];

/** Names of all custom resource definitions. */
export const definitionNames: readonly string[] = [
  ...resourceDefinitions.map(({ plural }) => `${plural}.${GROUP}`),
  `routehistories.${GROUP}`,
];

/** The files of crds/ by name. */
export function definitionFiles(): ReadonlyMap<string, string> {
  return new Map([
    ...resourceDefinitions.map((one) => [`${fileStem(one.kind)}.yaml`, `${ORIGIN}${text(definitionOf(one))}`] as const),
    [`${fileStem(routeHistoryDefinition.spec.names.kind)}.yaml`, `${ORIGIN}${text(routeHistoryDefinition)}`],
  ]);
}

/** The files of helm/gatewarden-crds/templates by name: the same definitions, which `helm uninstall` may keep. */
export function definitionTemplates(): ReadonlyMap<string, string> {
  return new Map([...definitionFiles()].map(([name, definition]) => [name, templateOf(definition)]));
}

const KEEP = `
  {{- if .Values.keep }}
  annotations:
    helm.sh/resource-policy: keep
  {{- end }}`;

/** @throws Error for a definition that a template would read as more than text */
function templateOf(definition: string): string {
  if (definition.includes('{{')) throw new Error('a definition holds {{, which has a meaning in a template');
  return definition.replace(/(?<=^metadata:\n {2}name: .*)$/m, KEEP);
}

/** `SecretStore` as files are named. */
function fileStem(kind: string): string {
  return kind.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
}

function text(definition: object): string {
  return stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false });
}

function definitionOf({ kind, plural, shortName, summary, about, spec, status, columns }: ResourceDefinition): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['gatewarden'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: {
              description: summary,
              type: 'object',
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string', description: `${GROUP}/${VERSION}.` },
                kind: { type: 'string', description: `${kind}.` },
                metadata: { type: 'object' },
                spec: structuralSchema(spec.describe(about)),
                status: structuralSchema(
                  status.describe('State reported by the controller. Only the controller writes it.'),
                ),
              },
            },
          },
        },
      ],
    },
  };
}
