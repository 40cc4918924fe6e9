/** The attributes of a run as conditions of the list, and as fields of an export. Pure. */
import { attributeText } from "../../../internal.ts";
import type { Json, Snapshot } from "../../../graph.ts";
import { isHiddenKey, redacted, type RedactOptions } from "./payload.ts";

export interface AttributeLabel {
  /** `plan=pro`: also the condition by which the list finds the runs that share it. */
  text: string;
  isHidden: boolean;
}

export function attributeLabels(run: Pick<Snapshot, "attributes">, keys: RedactOptions["keys"]): AttributeLabel[] {
  return Object.entries(shownAttributes(run, keys)).map(([name, value]) => {
    const isHidden = isHiddenKey(name, keys);
    return { text: isHidden ? `${name}: ${String(value)}` : attributeText(name, value), isHidden };
  });
}

/** With a placeholder for each value that the app hides. */
export function shownAttributes(
  { attributes }: Pick<Snapshot, "attributes">,
  keys: RedactOptions["keys"],
): Snapshot["attributes"] {
  return redacted(attributes as Json, { keys, isRevealed: false }) as Snapshot["attributes"];
}
