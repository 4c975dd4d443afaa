/** Counts changes of what connections may be opened to, so that those that are open are judged again after each. */
export const egressChanges = { count: 0 };
