import { dirname } from 'node:path';
import { inject } from 'vitest';
import { theHelm } from '../../support/cluster/helm.ts';
import { type NodeAccess, onNode } from './kubernetes-node.ts';

declare module 'vitest' {
  interface ProvidedContext {
    node: NodeAccess & { readonly image: string };
  }
}

/** The node that all tests of the run share. */
export interface TestNode {
  readonly access: NodeAccess;
  /** Name of the image that `make image` built, which the node has. */
  readonly image: string;
  kubectl(words: readonly string[], input?: string): Promise<string>;
  helm(words: readonly string[], input?: string): Promise<string>;
  /** Where the program helm is. */
  helmFolder(): Promise<string>;
  /** Runs a program in the namespaces of the node. */
  inNode(words: readonly string[]): Promise<string>;
  /** Applies objects. */
  apply(...objects: readonly object[]): Promise<string>;
  /** One object as it is now. */
  get<T>(words: readonly string[]): Promise<T>;
  /** Where a Service is reached from this machine. */
  origin(namespace: string, service: string, port?: number): Promise<string>;
  /** Asks until the answer is right; whoever asks has a test with a time limit. */
  until<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T>;
}

export function theNode(): TestNode {
  const { image, ...access } = inject('node');
  const { kubectl, inNode } = onNode(access);
  const get = async <T>(words: readonly string[]): Promise<T> =>
    JSON.parse(await kubectl(['get', ...words, '-o', 'json'])) as T;
  return {
    access,
    image,
    kubectl,
    inNode,
    get,
    async helm(words, input = '') {
      const helm = await theHelm();
      return helm.run(words, { kubeconfig: access.kubeconfig, input });
    },
    helmFolder: async () => dirname((await theHelm()).path),
    apply: (...objects) =>
      kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })),
    async origin(namespace, service, port = 80) {
      const { spec } = await get<{ spec: { clusterIP: string } }>(['service', service, '-n', namespace]);
      return `http://${spec.clusterIP}:${port}`;
    },
    async until(ask, isRight) {
      let last: unknown = null;
      const end = performance.now() + PATIENCE;
      for (;;) {
        try {
          const answer = await ask();
          last = answer;
          if (isRight(answer)) return answer;
        } catch (error) {
          last = error;
        }
        if (performance.now() > end)
          throw new Error(`it did not become right; at last: ${JSON.stringify(last) ?? last}`);
        await pause(BREATH);
      }
    },
  };
}

const PATIENCE = 90_000;
/** Milliseconds between two questions. */
const BREATH = 50;

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
