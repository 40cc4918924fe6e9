/** Ending on request: the first SIGINT or SIGTERM drains, a second one ends at once. */

/** Resolves when the process is asked to end. */
export function endRequested(): Promise<void> {
  return new Promise((resolve) => {
    const once = (): void => {
      // From here on the system's own way: a second signal kills.
      process.removeListener("SIGINT", once);
      process.removeListener("SIGTERM", once);
      resolve();
    };
    process.on("SIGINT", once);
    process.on("SIGTERM", once);
  });
}
