import type { Logger } from 'pino';
import type { PlaneSessions } from '../publish/sessions/plane-sessions.ts';
import type { ClusterApi } from './api/api-client.ts';
import { ApiContact } from './api/api-contact.ts';

export interface LostContactParts {
  readonly api: Pick<ClusterApi, 'answeredAt'>;
  readonly log: Logger;
  sessions(): PlaneSessions;
}

/** Sends data planes to another controller while this one does not hear from the API server. */
export function lostContact({ api, log, sessions }: LostContactParts): ApiContact {
  return new ApiContact({
    answeredAt: () => api.answeredAt,
    changed(isLost) {
      if (isLost) log.warn('lost contact with the API server; data planes asked to reconnect to another controller');
      else log.info('contact with the API server restored');
      sessions().setInTouch(!isLost);
    },
  });
}
