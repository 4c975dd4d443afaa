import { z } from 'zod';
import type { PlaneFacts } from '../publish/plane-facts.ts';
import type { ApiCaller } from './api/api-client.ts';
import { ApiError } from './api/api-error.ts';
import { PacedCaller } from './api/paced-caller.ts';
import { resourcePath } from './api/resource-path.ts';

const TIMEOUT = 5000;
/** How many Pods may be asked for at a time: many planes may lose their streams together. */
const MOST_AT_A_TIME = 8;

const pod = z.looseObject({
  metadata: z.looseObject({ uid: z.string(), deletionTimestamp: z.string().optional() }),
  status: z
    .looseObject({
      conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).default([]),
    })
    .default({ conditions: [] }),
});

/** Asks the cluster whether planes take requests: the Pod of one that does is Ready. Planes outside have no Pod. */
export function servingPods(api: ApiCaller): (plane: PlaneFacts) => Promise<boolean | null> {
  const paced = new PacedCaller(api, MOST_AT_A_TIME);
  return async ({ identity: { id, namespace, name } }) => {
    if (namespace === null) return false;
    const path = resourcePath({ version: 'v1', plural: 'pods', namespace, name });
    try {
      const { body } = await paced.call({ method: 'GET', path, timeout: TIMEOUT });
      const { metadata, status } = pod.parse(body);
      if (metadata.uid !== id || metadata.deletionTimestamp !== undefined) return false;
      return status.conditions.some((one) => one.type === 'Ready' && one.status === 'True');
    } catch (error) {
      // Without an answer nothing is known; one that says no means that there is no such Pod, or that nobody may ask.
      return error instanceof ApiError && (error.status === 404 || error.status === 403) ? false : null;
    }
  };
}
