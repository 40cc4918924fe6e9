/**
 * Decides the next step of a migration from the states of both databases: a killed process leaves them, and the next one continues. No
 * I/O.
 * The source is marked before the target, and the target is finished before the source, so there is no moment at which an app could start
 * on both.
 */
import { isNotMoved, type MigrationState } from "../contract/migration-state.ts";

export interface Side {
  /** In words. */
  label: string;
  mark: MigrationState | undefined;
}

export interface TargetSide extends Side {
  /** Name of a table with rows. */
  filled: string | undefined;
}

export type Cursor = NonNullable<MigrationState["cursor"]>;

export type Plan =
  /** Nothing is done on either side; or the source is marked, under this id. */
  | { kind: "begin"; id: string | undefined }
  | { kind: "goOn"; id: string; cursor: Cursor }
  /** All rows are copied and checked; only the source must be closed. */
  | { kind: "close"; id: string }
  | { kind: "nothing" }
  | { kind: "refuse"; reason: string };

export function planOf(source: Side, target: TargetSide): Plan {
  const { mark } = source;
  if (mark === undefined || mark.state === "arrived") return beginning(target, undefined);
  if (mark.state === "arriving")
    return refuse(`${source.label} is itself being filled from ${mark.peer}; end that move first`);
  const isSame = target.mark?.id === mark.id;
  if (mark.state === "left")
    return isSame && target.mark?.state === "arrived"
      ? { kind: "nothing" }
      : refuse(`${source.label} was already moved to ${mark.peer}, which is not ${target.label}`);
  if (isSame && target.mark?.state === "arriving")
    return { kind: "goOn", id: mark.id, cursor: target.mark.cursor ?? { table: undefined } };
  if (isSame && target.mark?.state === "arrived") return { kind: "close", id: mark.id };
  if (mark.peer !== target.label)
    return refuse(
      `${source.label} is being moved to ${mark.peer}, not to ${target.label}. Continue that move, or drop its copy and remove the mark with --undo-mark`,
    );
  return beginning(target, mark.id);
}

function beginning({ label, mark, filled }: TargetSide, id: string | undefined): Plan {
  if (!isNotMoved(mark))
    return refuse(
      `${label} ${mark?.state === "arriving" ? `contains a part of another move, from ${mark.peer}: drop its schema` : `was itself moved to ${mark?.peer ?? ""}: use an empty database`}`,
    );
  if (filled !== undefined)
    return refuse(
      `${label} is not empty: its table "${filled}" has rows. Use another schema with ?schema=…, or drop this one`,
    );
  return { kind: "begin", id };
}

function refuse(reason: string): Plan {
  return { kind: "refuse", reason };
}
