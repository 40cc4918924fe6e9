/** Flags of threads that are started by a file of ours. */

/**
 * A thread has the flags of the process. How the process's own code came in is nothing to it, and node refuses that beside a file;
 * but where flags are given node refuses those of the whole process as well, such as `--v8-pool-size`, so they are given only then.
 * @param given `process.execArgv`
 */
export function threadExecArgv(given: readonly string[]): { execArgv?: string[] } {
  const execArgv = given.filter((arg) => !arg.startsWith("--input-type"));
  return execArgv.length === given.length ? {} : { execArgv };
}
