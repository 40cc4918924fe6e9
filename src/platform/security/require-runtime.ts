/** Refuses a runtime on which svc would run without a part of its protection, or could not keep its promises. */
import { fdatasyncSync } from "node:fs";
import { runtimeProblem } from "../package/runtime.ts";
import { SvcError } from "../shared/errors.ts";
import { VARIABLES } from "../shared/wire.ts";

/** No file has this descriptor, so a runtime that may sync reports `EBADF`. */
const NO_FILE = 2 ** 31 - 1;

/** @throws SvcError `SVC_RUNTIME` */
export function requireRuntime(versions: NodeJS.ProcessVersions = process.versions): void {
  const problem = runtimeProblem({ node: versions.node, bun: versions["bun"] });
  if (problem !== undefined) throw new SvcError("SVC_RUNTIME", problem);
}

/**
 * Node's permission model disables `fdatasync`, so that no commit would be durable (https://nodejs.org/api/permissions.html).
 * @throws SvcError `SVC_RUNTIME`
 */
export function requireDiskSync(sync: (fd: number) => void = fdatasyncSync): void {
  try {
    sync(NO_FILE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_ACCESS_DENIED") return;
    throw new SvcError(
      "SVC_RUNTIME",
      `Node's --permission disables fdatasync, so svc can't write an SQLite file durably. Start without --permission, or set ${VARIABLES.databaseUrl} to a PostgreSQL database`,
      { cause: error },
    );
  }
}
