/** Locates this server's own project. The demo can audit its lockfile and reads licences from its installed packages. */
import { findProject } from "./installed.ts";

/** Folder of the project; undefined if there is none. */
export const project = findProject(process.cwd());
