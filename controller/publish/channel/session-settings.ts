/** How streams with planes are kept. All times in milliseconds. */
export interface SessionSettings {
  /** Between heartbeats; three that stay away end the stream. */
  readonly heartbeat: number;
  /** Between reports of a plane. */
  readonly report: number;
  /** How long a plane may take to answer an update before it counts as slow, which is told. */
  readonly ackTimeout: number;
  /** How long a plane may leave an update unanswered before its stream ends. */
  readonly ackLimit: number;
  /** How long nothing is sent to a plane that has just refused an update, so that quick changes do not keep it busy. */
  readonly nackGap: number;
  /** How long to wait before an update that a plane would not take is sent again; doubled each time. */
  readonly nackPause: number;
  readonly nackPauseLimit: number;
  /** How old a stream gets; a fifth of it more or less, so that planes do not come back all at once. */
  readonly maxAge: number;
  /** How long a plane has to go after it was told that its stream ends. */
  readonly goodbye: number;
  /** How long a plane has for the body of a route that it is asked for. */
  readonly recallTimeout: number;
  /** How long a plane has for a dry run. */
  readonly explainTimeout: number;
  /** Bytes from which on an update has to wait for admission. */
  readonly largeUpdate: number;
}

export const defaultSessionSettings: SessionSettings = {
  heartbeat: 3_500,
  report: 10_000,
  ackTimeout: 10_000,
  ackLimit: 60_000,
  nackGap: 1_000,
  nackPause: 10_000,
  nackPauseLimit: 300_000,
  maxAge: 30 * 60_000,
  goodbye: 2_000,
  recallTimeout: 5_000,
  explainTimeout: 8_000,
  largeUpdate: 256 * 1024,
};
