/** The operator actions that a run allows in its phase, and the reasons why not. The screens show them next to the buttons. */
import type { Role } from "../../roles.ts";

export type Step = "pause" | "resume" | "cancel" | "terminate" | "retry";

export interface StepView {
  step: Step;
  label: string;
  /** Why the action is not allowed; undefined: it is. */
  refusal: string | undefined;
}

const LABELS: Readonly<Record<Step, string>> = {
  pause: "Pause",
  resume: "Resume",
  cancel: "Cancel",
  terminate: "Terminate",
  retry: "Retry",
};

/** The phases in which the engine accepts each action (docs/reference/http.md section 4). */
const ALLOWED: Readonly<Record<Step, readonly string[]>> = {
  pause: ["queued", "running"],
  resume: ["paused", "pausing"],
  cancel: ["queued", "running", "pausing", "paused", "parked"],
  terminate: ["queued", "running", "pausing", "paused", "parked", "cancelling"],
  retry: ["failed"],
};

const NEEDED: Readonly<Record<Step, string>> = {
  pause: "only queued or running runs can be paused",
  resume: "only paused runs can be resumed; a parked run continues in a build with its definition",
  cancel: "only runs that have not ended and are not being cancelled can be cancelled",
  terminate: "only runs that have not ended can be terminated",
  retry: "only failed runs can be retried as a whole; select a node to rerun from there",
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

/** Shown to readers next to actions that need the operator role. */
export const READ_ONLY = "read-only access: the operator role is required";

function refusalOf(step: Step, phase: string, role: Role): string | undefined {
  if (role !== "operator") return READ_ONLY;
  return ALLOWED[step].includes(phase) ? undefined : `The run is ${phase}: ${NEEDED[step]}`;
}
