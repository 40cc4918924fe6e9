/** Refuses a runtime on which svc would run without a part of its protection. */
import { SvcError } from "../shared/errors.ts";
import { runtimeProblem } from "../package/runtime.ts";

/** @throws SvcError `SVC_RUNTIME` */
export function requireRuntime(versions: NodeJS.ProcessVersions = process.versions): void {
  const problem = runtimeProblem({ node: versions.node, bun: versions["bun"] });
  if (problem !== undefined) throw new SvcError("SVC_RUNTIME", problem);
}
