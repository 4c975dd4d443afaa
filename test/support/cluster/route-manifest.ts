/** A Route that answers everything below `/NAME` with a text, which may hold expressions. */
export function routeManifest(namespace: string, name: string, entity: string, more: object = {}): object {
  return {
    apiVersion: 'gatewarden.io/v1alpha1',
    kind: 'Route',
    metadata: { name, namespace },
    spec: {
      condition: `\${find(request.uri.path, '^/${name}(/|$)')}`,
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
      ...more,
    },
  };
}

/** Several objects to be applied together. */
export function manifestList(items: readonly object[]): object {
  return { apiVersion: 'v1', kind: 'List', items };
}

/** What makes a Route so many bytes longer, to be given as `more`. */
export function padding(bytes: number): object {
  const entity = 'x'.repeat(10_000);
  const objects = Array.from({ length: Math.ceil(bytes / entity.length) }, (_, at) => ({
    name: `padding-${at}`,
    type: 'StaticResponseHandler',
    config: { status: 200, entity },
  }));
  return { heap: objects };
}
