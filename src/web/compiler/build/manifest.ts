/** The manifest of a build: which chunk belongs to which TSX file (platform/shared/manifest.ts). */
import { createHash } from "node:crypto";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Manifest } from "../../../platform/shared/manifest.ts";

/** A server action as browser code calls it. */
export interface ActionUse {
  name: string;
  isStream: boolean;
  /** Path of its file. */
  module: string;
}

/**
 * @param chunks path of a TSX file -> chunk name without `.js`; names hold content hashes.
 * @param serverCode the code that renders pages; empty under `svc dev`, where pages follow edits differently
 * @returns a manifest whose `build` changes with any chunk, and with the server's code.
 * @throws SvcError `SVC117` when actions of two files share a name
 */
export function createManifest(
  chunks: ReadonlyMap<string, string>,
  uses: Iterable<ActionUse>,
  serverCode: readonly string[] = [],
): Manifest {
  const sorted = [...chunks].sort(([left], [right]) => (left < right ? -1 : 1));
  const actions = new Map<string, ActionUse>();
  for (const use of uses) {
    const known = actions.get(use.name);
    if (known && known.module !== use.module) throw sharedName(known, use);
    actions.set(use.name, use);
  }
  const streams = [...actions.values()].filter(({ isStream }) => isStream);
  const names = (list: Iterable<ActionUse>): string[] => [...list].map(({ name }) => name).sort();
  return {
    build: shortHash(JSON.stringify([sorted, serverCode])),
    chunks: Object.fromEntries(sorted),
    actions: names(actions.values()),
    ...(streams.length > 0 ? { streams: names(streams) } : {}),
  };
}

function sharedName(first: ActionUse, second: ActionUse): SvcError {
  const [one, other] = [first.module, second.module].sort();
  return new SvcError(
    "SVC117",
    `SVC117 Two actions are called "${first.name}", in ${one} and in ${other}. Browser code calls actions by name, so it could reach only one of them. Rename one export.`,
  );
}

/** 8 hexadecimal digits. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
