/** Whether the program runs in a Pod, which has its cluster in the environment. */
export function isInCluster(env: NodeJS.ProcessEnv = process.env): boolean {
  return env['KUBERNETES_SERVICE_HOST'] !== undefined;
}
