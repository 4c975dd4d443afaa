/** Calls from a script to the gateway, by number. */
export const operation = {
  header: 0,
  headers: 1,
  field: 2,
  context: 3,
  contextNames: 4,
  state: 5,
  store: 6,
  next: 7,
  send: 8,
  entity: 9,
  done: 10,
  failed: 11,
  log: 12,
  encoded: 13,
  decoded: 14,
  digest: 15,
  random: 16,
  surroundings: 17,
  clock: 18,
  publish: 19,
  setHeader: 20,
  headerLines: 21,
} as const;

/** Calls from the gateway into a script, by number. */
export const entrance = {
  script: 0,
  begin: 1,
  arrived: 2,
  content: 3,
  refused: 4,
  forget: 5,
  globals: 6,
  settled: 7,
  keep: 8,
} as const;

/** Maps that a script shares with others, by number. */
export const shared = { attributes: 0, session: 1 } as const;

/**
 * Places in the array of a message. An object with as many properties takes four times as long to make. The array of the
 * request is the state of the run, too.
 */
export const at = {
  run: 0,
  id: 1,
  headers: 2,
  entity: 3,
  method: 4,
  uri: 5,
  contexts: 6,
  maps: 7,
  known: 8,
  status: 4,
  reason: 5,
} as const;
