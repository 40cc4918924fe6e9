/** The form that starts an audit. Selects the uploaded file, the pasted text or the server's own lockfile. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, redirect } from "svckit";
import { href, submit } from "svckit/fullstack";
import * as v from "valibot";
import app from "../app.ts";
import { project } from "../audit/project.ts";

/** Maximum size of an uploaded lockfile; those of the largest public monorepos are smaller. */
const MAX_LOCKFILE_BYTES = 8 * 1024 * 1024;

const form = v.object({ lockfile_text: v.optional(v.string(), ""), sample: v.optional(v.literal("own")) });

export const startAudit = submit(
  "start-audit",
  { schema: form, files: { lockfile: { maxBytes: MAX_LOCKFILE_BYTES } } },
  async ({ lockfile_text: pasted, sample }, { files }) => {
    const path =
      sample === "own" && project !== undefined ? join(project, "package-lock.json") : files.lockfile[0]?.path;
    // A file that is not empty takes precedence over pasted text.
    const given = [path === undefined ? "" : await readFile(path, "utf8"), pasted];
    const lockfile = given.find((text) => text.trim() !== "") ?? fail("Choose a lockfile or paste its text.");
    const { snapshot } = await app.engine.start("audit", { lockfile });
    redirect(href("/audits/[id]", { id: snapshot.graph_id }));
  },
);
