import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { KubernetesNode, onNode } from './support/kubernetes-node.ts';
import { builtImage, programImage } from './support/node-images.ts';
import { nodePrograms } from './support/node-programs.ts';

/** Starts the node that all tests of the run share, with the image in it. */
export default async function startNode(project: TestProject): Promise<() => Promise<void>> {
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
    const manifests = readFileSync(fileURLToPath(new URL('support/dns.yaml', import.meta.url)), 'utf8');
    await node.kubectl(['apply', '-f', '-'], manifests);
    await node.kubectl(['rollout', 'status', 'deployment/dns', '-n', 'kube-system', '--timeout=60s']);
  } catch (error) {
    await node.stop();
    throw error;
  }
  project.provide('node', { ...node.access, image: image.name, prometheus: programs.prometheus });
  return () => node.stop();
}
