import { ApiError } from '../../controller/cluster/api/api-error.ts';
import { asError, errorText } from '../../platform/error-text.ts';

const TAKEN = /EADDRINUSE: address already in use (\S+?)\]?$/;

/** Why a controller does not start, with what can be done about it. */
export function controllerFailure(error: unknown, at: { readonly server: string; readonly namespace: string }): Error {
  if (error instanceof ApiError) return new Error(`${at.server}: ${error.message}${adviceOf(error, at.namespace)}`);
  const [, address] = TAKEN.exec(errorText(error)) ?? [];
  if (address !== undefined) return new Error(`${address} is in use: another program listens there`);
  return asError(error);
}

function adviceOf({ status }: ApiError, namespace: string): string {
  if (status === 401) return '; the credentials in the kubeconfig may have expired';
  if (status === 403) return '; docs/controller-rights.yaml lists the rights that a controller needs';
  if (status === 404) return `; create the namespace ${namespace}, or name another one with --namespace`;
  return '';
}
