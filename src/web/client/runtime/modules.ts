/** What has been loaded, by the names under which the loader fetches it. */
import type { Modules } from "./types.ts";

export const modules: Modules = {};

/** Name -> what is on its way or has come; never fails. */
export const loads: Record<string, unknown> = {};
