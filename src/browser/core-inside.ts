/** Puts core in place before the loader looks for it. */
import * as core from "./core.ts";
import { modules } from "./modules.ts";

modules.core = core;
