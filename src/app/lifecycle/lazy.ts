/** What is opened with its first use, behind the face it has once it is there: whoever asks waits for it, and sees no other difference. */

/** Members that promise nothing: somebody has to answer them before the thing itself is there. */
type AtOnce<Face> = {
  [Name in keyof Face as Face[Name] extends (...args: never[]) => Promise<unknown> ? never : Name]: Face[Name];
};

/**
 * @param open called for each use; gives the same thing each time. What it rejects with is what the caller gets.
 * @param own what answers without opening: all members that are at once, and of the others those that mustn't open
 */
export function late<Face extends object>(open: () => Promise<Face>, own: AtOnce<Face> & Partial<Face>): Face {
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
      // Whoever awaits the face itself is not asking for anything.
      return typeof name === "symbol" || name === "then" ? undefined : asked(name);
    },
    // What is not in `own` promises, by its type, and `asked` is such a function.
  }) as unknown as Face;
}
