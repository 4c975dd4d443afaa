import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { theHelm } from '../../support/cluster/helm.ts';
import { KubernetesNode, onNode } from './kubernetes-node.ts';
import { builtImage, programImage } from './node-images.ts';
import { nodePrograms } from './node-programs.ts';

/** A node that has the image of this checkout, and names for its Services. */
export interface StartedNode {
  readonly node: KubernetesNode;
  /** Name of the image. */
  readonly image: string;
  helm(words: readonly string[]): Promise<string>;
}

/** Builds what is needed and starts it: minutes the first time, seconds later. */
export async function startedNode(): Promise<StartedNode> {
  const programs = await nodePrograms();
  const image = await builtImage();
  const node = await KubernetesNode.start(programs, (path) =>
    programImage('localhost/pause:1', programs.pause, path, '65535:65535'),
  );
  try {
    const { importImage } = onNode(node.access);
    const dns = `${node.access.state}/dns.tar`;
    await programImage('localhost/coredns:1', programs.coredns, dns, '65532:65532');
    await importImage(dns);
    await importImage(image.path);
    const manifests = readFileSync(fileURLToPath(new URL('dns.yaml', import.meta.url)), 'utf8');
    await node.kubectl(['apply', '-f', '-'], manifests);
    await node.kubectl(['rollout', 'status', 'deployment/dns', '-n', 'kube-system', '--timeout=60s']);
  } catch (error) {
    await node.stop();
    throw error;
  }
  const program = await theHelm();
  const helm = (words: readonly string[]): Promise<string> =>
    program.run(words, { kubeconfig: node.access.kubeconfig });
  return { node, image: image.name, helm };
}
