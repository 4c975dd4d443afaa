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
} as const;

/** Calls from the gateway into a script, by number. */
export const entrance = { script: 0, begin: 1, arrived: 2, content: 3, refused: 4, forget: 5, globals: 6 } as const;

/** Maps that a script shares with others, by number. */
export const shared = { attributes: 0, session: 1 } as const;
