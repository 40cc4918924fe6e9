/**
 * The messages in a run's inbox: commands of callers, results of attempts, timers that fired. `decide.ts` turns each into at most one
 * transition. A message is data, except where it carries an open wait of an attempt.
 */
import type { Json } from "../../platform/shared/json.ts";
import type { NodeFailure, NodeRow, StepKind } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import type { RetryOptions, AuditContext } from "../definition/audit-types.ts";
import type { AttributeChanges } from "../definition/run-attributes.ts";
import type { Kept, NewSignal } from "./machine.ts";
import type { KeptSignal } from "./signals.ts";
import type { Said } from "./progress-events.ts";
import type { CallOptions, NodesWait, Wait } from "./waits.ts";

/** Commands of callers: operators, code, parents, other processes. Each is audited. */
export type ControlMessage =
  | { type: "pause" | "resume" | "terminate"; auditContext: AuditContext | undefined }
  /** `error`: message of the run's error; default: cancelled by an operator. */
  | { type: "cancel"; auditContext: AuditContext | undefined; error?: string }
  | { type: "retry"; auditContext: RetryOptions | undefined }
  | {
      type: "signal";
      auditContext: AuditContext;
      signal: NewSignal;
      /** The wait that receives the signal, after its schema has accepted it. */
      wait: Wait | undefined;
      value: Json;
    };

/** Events of a node: its attempt has ended, or its retry is due. */
export type NodeMessage =
  | { type: "nodeDone"; node: NodeRow; result: Json; kept: Kept | undefined }
  /** `retryAtMs`: undefined fails the node permanently. */
  | {
      type: "nodeFailed";
      node: NodeRow;
      error: NodeFailure;
      retryAtMs: number | undefined;
      kept: Kept | undefined;
    }
  /** The process stops, or the run pauses: the attempt does not count. */
  | { type: "nodeInterrupted"; node: NodeRow }
  /** The process that ran the node for this one has died. */
  | { type: "nodeCrashed"; node: NodeRow }
  | { type: "retryDue"; node: NodeRow; epoch: number };

/** Durable operations of a node's worker while its attempt runs. */
export type DurableMessage = {
  /** The node of the attempt. */
  node: NodeRow;
  /** New state of the node, if the worker has set any. */
  state: Record<string, Json> | undefined;
} & (
  | { type: "checkpoint" }
  | {
      type: "stepDone";
      id: string;
      kind: StepKind;
      result: Json;
      /** Undefined: it started and ended at the time of the transition. */
      startedMs: number | undefined;
      artifact?: Omit<NonNullable<Transition["artifacts"]>[number], "createdMs">;
    }
  | { type: "attributesSet"; id: string; changes: AttributeChanges }
  | { type: "stepFailed"; id: string; kind: StepKind; error: NodeFailure; startedMs: number }
  | { type: "stepRetrying"; id: string; data: Json }
  | { type: "sleep"; wait: Wait; dueMs: number }
  /** `timeoutMs`: undefined waits forever. */
  | { type: "waitForSignal"; wait: Wait; timeoutMs: number | undefined }
  | { type: "call"; wait: NodesWait; options: CallOptions }
  | { type: "waitDue"; wait: Wait }
  | { type: "signalRefused"; signal: KeptSignal; message: string }
);

/** Events of the node that is being compensated. */
export type CompensationMessage =
  | { type: "compensationStarted" | "compensationInterrupted" | "compensationDone"; node: NodeRow }
  | { type: "compensationFailed"; node: NodeRow; error: NodeFailure; retryAtMs: number | undefined };

/** Reports, which do not affect execution. */
export type ReportMessage =
  | { type: "reported"; event: "log" | "custom" | "node.discarded"; node: string; data: Json | undefined }
  | { type: "progressed"; said: Said };

export type RunMessage =
  | { type: "begin" }
  | { type: "deadline" }
  /** `fromMs`: no wait that ends before this time is worth it. */
  | { type: "suspend"; fromMs: number }
  | {
      type: "recover";
      /** Whether the process that ran the run died. */
      hasCrashed: boolean;
      /** Ids of nodes that ran in other processes; undefined where there are no others. */
      ranRemotely: ReadonlySet<string> | undefined;
    }
  | ControlMessage
  | NodeMessage
  | DurableMessage
  | CompensationMessage
  | ReportMessage;
