/** Reasons for which a session can be neither opened nor saved. */
export type SessionRefusal = 'session-keys' | 'session-too-large' | 'session-value' | 'sessions-full';

/** A session can be neither opened nor saved, so that the request is refused. The message holds nothing of the session. */
export class SessionFault extends Error {
  readonly refusal: SessionRefusal;

  constructor(refusal: SessionRefusal, message: string) {
    super(message);
    this.name = 'SessionFault';
    this.refusal = refusal;
  }
}
