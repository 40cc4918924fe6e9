/**
 * Members of an object that a wrapper passes on unchanged. They are named one by one, so that the compiler demands a decision about each
 * new one: it may carry payloads.
 */
export function passed<S extends object, K extends keyof S>(from: S, names: readonly K[]): Pick<S, K> {
  const members = names.flatMap((name) => {
    const value: unknown = from[name];
    // An absent member stays absent: callers check for it.
    if (value === undefined) return [];
    return [[name, typeof value === "function" ? (value.bind(from) as unknown) : value] as const];
  });
  // The names are those of the type, with the values of the object.
  return Object.fromEntries(members) as Pick<S, K>;
}
