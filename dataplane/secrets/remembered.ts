/** The same result for the same list of objects as the last time, made anew for another one. */
export function remembered<From extends object, To>(
  make: (from: readonly From[]) => To,
): (from: readonly From[]) => To {
  let last: { readonly from: readonly From[]; readonly to: To } | null = null;
  return (from) => {
    if (last === null || last.from.length !== from.length || last.from.some((one, at) => one !== from[at])) {
      last = { from, to: make(from) };
    }
    return last.to;
  };
}
