/** @returns the named methods, bound to the object, so that they can be called on their own. */
export function bound<T extends object, const Name extends keyof T>(target: T, names: readonly Name[]): Pick<T, Name> {
  const methods: Partial<Pick<T, Name>> = {};
  for (const name of names) {
    const method: unknown = target[name];
    if (typeof method !== "function") throw new TypeError(`"${String(name)}" is not a method`);
    methods[name] = method.bind(target) as T[Name];
  }
  // The loop has set each name.
  return methods as Pick<T, Name>;
}
