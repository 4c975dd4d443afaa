/** What the program answers when it refuses: the code, and the status that goes with it. */
export type Refusals = Readonly<Record<string, { readonly status: number; readonly reason: string }>>;

/** Differences between the codes in the program and the rows `| \`code\` | status | … |` of docs/errors.md. */
export function errorCodeBreaches(refusals: Refusals, page: string): string[] {
  const rows = [...page.matchAll(/^\|\s*`([^`]+)`\s*\|\s*(\d+)\s*\|/gm)].map((row) => ({
    code: row[1]!,
    status: row[2]!,
  }));
  const documented = new Map(rows.map(({ code, status }) => [code, status]));
  return [
    ...rows
      .filter(({ code }, at) => rows.findIndex((row) => row.code === code) !== at)
      .map(({ code }) => `${code} has two rows`),
    ...rows
      .filter(({ code }) => !Object.hasOwn(refusals, code))
      .map(({ code }) => `${code} is documented but does not exist`),
    ...Object.entries(refusals).flatMap(([code, { status }]) => {
      const said = documented.get(code);
      if (said === undefined) return [`${code} has no row in docs/errors.md`];
      return said === String(status) ? [] : [`${code} answers ${status}, but docs/errors.md says ${said}`];
    }),
  ];
}
