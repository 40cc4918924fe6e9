/** Offers to show what is hidden of a run: to an operator who says why, for five minutes, on record. Not: what is hidden (views/payload.ts). */
import type { OpsContext } from "../ops-context.ts";
import type { RunData } from "../run-data.ts";
import { StepButton, StepForm } from "./parts.tsx";

/** @param hidden how many values are hidden of what stands beside it */
export function Reveal({ hidden, data, opsContext }: { hidden: number; data: RunData; opsContext: OpsContext }) {
  if (data.isRevealed) return <p class="quiet">Everything is shown, for five minutes. This is on record.</p>;
  if (hidden === 0) return null;
  return (
    <StepForm opsContext={opsContext} action={`/runs/${data.run.graph_id}/reveal`} class="steps">
      <label>
        Why you need to see it
        <input name="note" required maxlength={500} autocomplete="off" />
      </label>
      <StepButton opsContext={opsContext} label="Show what is hidden" />
    </StepForm>
  );
}
