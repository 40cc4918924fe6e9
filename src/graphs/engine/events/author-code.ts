/** Runs functions of the author, such as schemas and keys. */
import { SvcError } from "../../../platform/shared/errors.ts";
import { messageOf } from "../../definition/thrown.ts";

/** @throws SvcError `SVC_INVALID` instead of the author's error: another try would meet it again. */
export async function ofAuthor<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new SvcError("SVC_INVALID", messageOf(cause), { cause });
  }
}
