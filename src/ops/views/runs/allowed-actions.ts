/** Which steps a graph allows in its state, and why not the others: told beside the button, before anybody presses it. */
import type { Role } from "../../roles.ts";

export type Step = "pause" | "resume" | "cancel" | "retry";

export interface StepView {
  step: Step;
  label: string;
  /** Why it can't be done; undefined: it can. */
  refusal: string | undefined;
}

const LABELS: Readonly<Record<Step, string>> = { pause: "Pause", resume: "Resume", cancel: "Cancel", retry: "Retry" };

/** Phases in which the engine takes a step (contract section 4). */
const ALLOWED: Readonly<Record<Step, readonly string[]>> = {
  pause: ["queued", "running"],
  resume: ["paused", "pausing"],
  cancel: ["queued", "running", "pausing", "paused"],
  retry: ["failed"],
};

const NEEDED: Readonly<Record<Step, string>> = {
  pause: "only what is queued or running can be paused",
  resume: "only what is paused can be resumed",
  cancel: "only what has not ended, and is not being cancelled, can be",
  retry: "only what has failed can be retried as a whole; choose a node to run it again from there",
};

export function stepViews(phase: string, role: Role): StepView[] {
  return (Object.keys(LABELS) as Step[]).map((step) => ({
    step,
    label: LABELS[step],
    refusal: refusalOf(step, phase, role),
  }));
}

export function isStep(name: string | undefined): name is Step {
  return name !== undefined && Object.hasOwn(LABELS, name);
}

/** What only an operator may do is shown to readers too, with this beside it. */
export const READ_ONLY = "you may look, not change: the operator role is needed";

function refusalOf(step: Step, phase: string, role: Role): string | undefined {
  if (role !== "operator") return READ_ONLY;
  return ALLOWED[step].includes(phase) ? undefined : `It is ${phase}: ${NEEDED[step]}`;
}
