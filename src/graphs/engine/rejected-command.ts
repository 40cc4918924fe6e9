/** Why a graph did not take a step: what state it is in, or that it is gone. Neither is a fault to who takes the same step with many. */
import { SvcError } from "../../platform/shared/errors.ts";

/** @returns undefined where it took it. @throws what is no refusal: then the store has a fault. */
export async function refusalOf(step: Promise<unknown>): Promise<SvcError | undefined> {
  try {
    await step;
    return undefined;
  } catch (error) {
    if (error instanceof SvcError && (error.code === "SVC_TRANSITION" || error.code === "SVC_NOT_FOUND")) return error;
    throw error;
  }
}
