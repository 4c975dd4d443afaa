import { GROUP, VERSION } from '../contract/resources/resource.ts';

const text = (description: string) => ({ type: 'string', description });
const count = (description: string) => ({ type: 'integer', format: 'int64', minimum: 0, description });

/** Definition of the versions of a Route. People do not write them, so they are no resource that is compiled. */
export const routeHistoryDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `routehistories.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: {
      kind: 'RouteHistory',
      listKind: 'RouteHistoryList',
      plural: 'routehistories',
      singular: 'routehistory',
      shortNames: ['gwrh'],
      // Not in the category gatewarden: `kubectl get gatewarden` shows what people write.
    },
    versions: [
      {
        name: VERSION,
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Versions', type: 'integer', jsonPath: '.count', description: 'Number of versions.' },
          { name: 'Newest', type: 'integer', jsonPath: '.newest.generation', description: 'Newest generation.' },
          { name: 'Changed', type: 'date', jsonPath: '.newest.at', description: 'Time of the newest version.' },
          { name: 'By', type: 'string', jsonPath: '.newest.by', description: 'Field manager of the newest version.' },
        ],
        schema: {
          openAPIV3Schema: {
            description:
              'The last versions of the Route of the same name. The controller writes it, and the cluster removes it with ' +
              'the Route. Read the versions over Common REST or in the console.',
            type: 'object',
            required: ['data'],
            properties: {
              apiVersion: text(`${GROUP}/${VERSION}.`),
              kind: text('RouteHistory.'),
              metadata: { type: 'object' },
              count: count('Number of versions.'),
              newest: {
                type: 'object',
                description: 'The newest version.',
                properties: {
                  generation: count('Generation of the Route.'),
                  at: text('When it was made.'),
                  by: text('Field manager that made it.'),
                },
              },
              data: {
                ...text('The versions as JSON without secrets, compressed with Brotli, in Base64.'),
                maxLength: 1_400_000,
              },
            },
          },
        },
      },
    ],
  },
};
