/** The project that this server was installed with: its lockfile can be audited, its packages tell their licences. */
import { findProject } from "./installed.ts";

/** Folder; undefined where there is none. */
export const project = findProject(process.cwd());
