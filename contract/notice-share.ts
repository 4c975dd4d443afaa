/** First characters of keys of operators. A tenant has one of the 32 others, by its name. */
const OF_OPERATORS = /^[A-Za-f]/;

/**
 * Whose a key of ended sessions is: empty for operators, and otherwise one of 32 shares of tenants. Limits hold for each
 * share, so that a tenant that ends any number of sessions does not have those of others forgotten.
 */
export function noticeShare(key: string): string {
  return OF_OPERATORS.test(key) ? '' : key.slice(0, 1);
}

export const MOST_SHARES = 32;
