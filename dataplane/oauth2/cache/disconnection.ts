/** Handling of cached answers while notifications of the access manager are lost. */
export const disconnectionStrategies = ['NEVER_CLEAR', 'CLEAR_ON_DISCONNECT', 'CLEAR_ON_RECONNECT'] as const;

export type DisconnectionStrategy = (typeof disconnectionStrategies)[number];

/** A request could not be judged, because revocations cannot be heard at the time. */
export class RevocationsUnheard extends Error {
  constructor() {
    super(
      'no connection to the notification service of the access manager, so that revocations may be missed: the log ' +
        "says why, and 'onNotificationDisconnection' what happens meanwhile",
    );
    this.name = 'RevocationsUnheard';
  }
}
