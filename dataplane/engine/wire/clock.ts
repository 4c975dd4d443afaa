/** Time as the engine sees it: read once per turn, because two system calls per request would show. */
export const clock = {
  /** Milliseconds since the unit started; monotonic, with a fraction. */
  now: 0,
  /** Wall clock in milliseconds. */
  wall: 0,
  /** Whether it was read in this turn; between turns it stands still. */
  fresh: false,
};

/** Reads the clocks; the first thing a turn does. */
export function readClock(): void {
  clock.now = performance.now();
  clock.wall = Date.now();
}

/** The time now: as the turn sees it, or asked for outside of one, where promises and timers run. */
export function timeNow(): number {
  return clock.fresh ? clock.now : performance.now();
}

/** The wall clock: as the turn sees it, or asked for outside of one, where promises and timers run. */
export function wallNow(): number {
  return clock.fresh ? clock.wall : Date.now();
}

let dateSecond = 0;
let dateText = '';

/** The current time as a Date header wants it, made once a second. */
export function httpDate(): string {
  const second = Math.floor(clock.wall / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}
