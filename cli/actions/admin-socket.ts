import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where a controller in a Pod answers whoever may run programs in its container: unlike a port of loopback, a file is not
 * shared with other containers of the Pod and is out of reach of `kubectl port-forward`.
 */
export function ownAdminSocket(): string {
  return join(tmpdir(), 'gatewarden-controller.sock');
}
