/**
 * The session that presented cookies stand for. Two different sessions in one request are none: one of them came from
 * somebody else.
 */
export function onlySession<Found>(
  cookies: readonly string[] | undefined,
  find: (cookie: string) => Found | null,
): Found | null {
  let only: Found | null = null;
  for (const cookie of cookies ?? []) {
    const session = find(cookie);
    if (session === null) continue;
    if (only !== null) return null;
    only = session;
  }
  return only;
}
