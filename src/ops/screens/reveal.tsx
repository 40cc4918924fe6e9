/**
 * The form that reveals hidden values of a run: to an operator who gives a reason, for five minutes, with an audit entry. payload.ts
 * decides what is hidden.
 */
import type { OpsContext } from "../ops-context.ts";
import type { RunData } from "../run-data.ts";
import { StepButton, StepForm } from "./parts.tsx";

/** @param hidden number of hidden values in the content next to the form */
export function Reveal({ hidden, data, opsContext }: { hidden: number; data: RunData; opsContext: OpsContext }) {
  if (data.isRevealed)
    return <p class="quiet">All values are shown for five minutes. This is recorded in the audit trail.</p>;
  if (hidden === 0) return null;
  return (
    <StepForm opsContext={opsContext} action={`/runs/${data.run.graph_id}/reveal`} class="steps">
      <label>
        Reason
        <input name="note" required maxlength={500} autocomplete="off" />
      </label>
      <StepButton opsContext={opsContext} label="Reveal hidden values" />
    </StepForm>
  );
}
