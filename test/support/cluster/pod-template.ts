import type { RenderedObject } from './chart.ts';

interface Template {
  readonly metadata?: object;
  readonly spec: object;
}

/** A Pod as a workload of a chart would make it. */
export interface TemplatedPod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: { readonly name: string };
  readonly spec: object;
}

/** The Pods that an object stands for: itself, the one of its template, or none. */
export function podsOf(object: RenderedObject): TemplatedPod[] {
  const template = templateOf(object);
  if (template === null) return [];
  const metadata = { ...template.metadata, name: object.metadata.name };
  return [{ apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec }];
}

function templateOf(object: RenderedObject): Template | null {
  switch (object.kind) {
    case 'Pod':
      return object as unknown as Template;
    case 'Deployment':
    case 'DaemonSet':
    case 'StatefulSet':
    case 'Job':
      return (object['spec'] as { template: Template }).template;
    default:
      return null;
  }
}
