/** Why a run rejected a command: its state, or that it does not exist. Bulk commands count both instead of failing. */
import { SvcError } from "../../platform/shared/errors.ts";

/** @returns undefined if the run accepted it. @throws any other error: the store has a fault. */
export async function refusalOf(step: Promise<unknown>): Promise<SvcError | undefined> {
  try {
    await step;
    return undefined;
  } catch (error) {
    if (error instanceof SvcError && (error.code === "SVC_TRANSITION" || error.code === "SVC_NOT_FOUND")) return error;
    throw error;
  }
}
