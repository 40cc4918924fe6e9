/** A requested run that does not exist, and what is still known of it. */
import { SvcError } from "../../../index.ts";
import type { Absence, Snapshot } from "../../../graph.ts";
import { OPS_PATH } from "../../operator-access.ts";
import type { OpsContext } from "../../ops-context.ts";
import { absenceText } from "../../views/runs/missing-run.ts";

export class MissingRun extends SvcError {
  readonly id: string;
  readonly absence: Absence;

  constructor(id: string, absence: Absence) {
    super("SVC_NOT_FOUND", `There is no run "${id.slice(0, 80)}"`);
    this.id = id;
    this.absence = absence;
  }
}

/** @throws MissingRun if there is no run with this ID */
export async function runOf({ app: { engine } }: OpsContext, id: string): Promise<Snapshot> {
  const run = await engine.snapshot(id);
  if (!run) throw new MissingRun(id, await engine.absence(id));
  return run;
}

export function WhyMissing({ of: { id, absence }, opsContext }: { of: MissingRun; opsContext: OpsContext }) {
  return (
    <>
      <p>{absenceText(absence, opsContext.nowMs, opsContext.zone)}</p>
      {absence.createdMs === undefined ? null : (
        <p>
          Manual changes stay in the audit trail: <a href={`${OPS_PATH}/audit?target=${id}`}>changes of this run</a>,{" "}
          <a href={`${OPS_PATH}/audit?operation=graphs.purge`}>bulk deletions</a>.
        </p>
      )}
    </>
  );
}
