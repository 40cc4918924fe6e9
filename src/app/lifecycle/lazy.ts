/** An object that is opened on first use: calls wait for it, and see no other difference. */

/** Synchronous members, which must work before it is open. */
type AtOnce<Target> = {
  [Name in keyof Target as Target[Name] extends (...args: never[]) => Promise<unknown> ? never : Name]: Target[Name];
};

/**
 * @param open called for each use; returns the same object. The caller gets its errors.
 * @param own members that do not open it: all synchronous ones, and others that must not
 */
export function lazyObject<Target extends object>(
  open: () => Promise<Target>,
  own: AtOnce<Target> & Partial<Target>,
): Target {
  const asked =
    (name: string) =>
    async (...args: unknown[]): Promise<unknown> => {
      const opened = await open();
      const member: unknown = Reflect.get(opened, name);
      return typeof member === "function" ? Reflect.apply(member, opened, args) : member;
    };
  return new Proxy(own, {
    get: (_, name) => {
      if (name in own) return Reflect.get(own, name) as unknown;
      // `await` reads `then`, which is not a use.
      return typeof name === "symbol" || name === "then" ? undefined : asked(name);
    },
    // Members that `own` lacks are asynchronous by type, as is the result of `asked`.
  }) as unknown as Target;
}
