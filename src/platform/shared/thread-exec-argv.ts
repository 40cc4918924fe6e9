/** Node flags for threads that start from one of our files. */

/**
 * A thread inherits the flags of the process. Node rejects `--input-type` for a thread that starts from a file, so it must be
 * removed.
 * With an explicit `execArgv`, node also rejects process-wide flags such as `--v8-pool-size`, so `execArgv` is set only if needed.
 * @param given `process.execArgv`
 */
export function threadExecArgv(given: readonly string[]): { execArgv?: string[] } {
  const execArgv = given.filter((arg) => !arg.startsWith("--input-type"));
  return execArgv.length === given.length ? {} : { execArgv };
}
