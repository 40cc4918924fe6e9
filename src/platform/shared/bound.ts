/** @returns the named methods of an object, which may be called without it. */
export function bound<T extends object, const Name extends keyof T>(target: T, names: readonly Name[]): Pick<T, Name> {
  const methods: Partial<Pick<T, Name>> = {};
  for (const name of names) {
    const method: unknown = target[name];
    if (typeof method !== "function") throw new TypeError(`"${String(name)}" is no method`);
    methods[name] = method.bind(target) as T[Name];
  }
  // Each name has been set.
  return methods as Pick<T, Name>;
}
