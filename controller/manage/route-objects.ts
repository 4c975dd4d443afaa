import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import type { ObjectFigures } from '../../contract/shown/object-figures.ts';

const text = { type: 'string' };

export const ROUTE_OBJECT: EndpointDescription = {
  name: 'route-object',
  title: 'Figures of objects',
  description:
    'Filters, handlers and other objects that counted something since they were added, such as requests that they ' +
    'rejected, and states such as that of a circuit breaker. The figures have the names and labels of metrics.',
  hasRevisions: false,
  schema: () => ({
    schema: {
      type: 'object',
      properties: {
        ...{ object: text, name: text, route: text, router: text },
        figures: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              metric: text,
              labels: { type: 'object', additionalProperties: text },
              value: { type: 'number' },
            },
          },
        },
      },
    },
  }),
};

/** Returns the figures of objects as resources, by their qualified names. */
export function routeObjects(objects: readonly ObjectFigures[]): (Resource & { readonly id: string })[] {
  return objects.map((content) => ({ id: content.object, revision: null, content }));
}
