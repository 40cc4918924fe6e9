/** Turns one message of a run's inbox into one transition. No I/O: the machine changes at once, and the caller commits the result. */
import type { Transition } from "../../storage/contract/transition.ts";
import { auditOf } from "./audit.ts";
import { stepOfEventSignal } from "./event-signal.ts";
import type { Change } from "./transition-builder.ts";
import type { Machine } from "./machine.ts";
import { isSuspended } from "./suspension.ts";
import type {
  CompensationMessage,
  ControlMessage,
  DurableMessage,
  NodeMessage,
  ReportMessage,
  RunMessage,
} from "./run-message.ts";

/**
 * @returns undefined if the message changes nothing.
 * @throws SvcError `SVC_TRANSITION`, `SVC_INVALID` for a rejected command: nothing has changed then.
 */
export function decide(machine: Machine, message: RunMessage, nowMs: number): Transition | undefined {
  switch (message.type) {
    case "begin":
      return machine.row.phase === "queued" ? machine.begin(nowMs) : undefined;
    case "deadline":
      return machine.ending.overdue(nowMs);
    case "suspend":
      return machine.suspend(nowMs, message.fromMs);
    case "recover": {
      const { ranRemotely } = message;
      return machine.recover(nowMs, message.hasCrashed, ranRemotely && (({ id }) => ranRemotely.has(id)));
    }
    case "nodeDone":
    case "nodeFailed":
    case "nodeInterrupted":
    case "nodeCrashed":
    case "retryDue":
      return decideNode(machine, message, nowMs);
    case "reported":
    case "progressed":
      return decideReport(machine, message, nowMs);
    case "pause":
    case "resume":
    case "cancel":
    case "terminate":
    case "retry":
    case "signal":
      return decideControl(machine, message, nowMs);
    case "compensationStarted":
    case "compensationInterrupted":
    case "compensationDone":
    case "compensationFailed":
      return decideCompensation(machine, message, nowMs);
    default:
      return machine.inside(nowMs, (change) => decideDurable(machine, message, change));
  }
}

function decideNode(machine: Machine, message: NodeMessage, nowMs: number): Transition | undefined {
  const { node } = message;
  switch (message.type) {
    case "nodeDone":
      return machine.nodeDone(node, message.result, nowMs, message.kept);
    case "nodeFailed":
      return machine.nodeFailed(node, message.error, message.retryAtMs, nowMs, message.kept);
    case "nodeInterrupted":
      return machine.nodeInterrupted(node, nowMs);
    case "nodeCrashed":
      return machine.nodeCrashed(node, nowMs);
    case "retryDue": {
      const isDue = node.status === "retrying" && machine.row.epoch === message.epoch && !machine.isTerminal;
      return isDue ? machine.nodeReady(node, nowMs) : undefined;
    }
  }
}

function decideReport({ progressEvents }: Machine, message: ReportMessage, nowMs: number): Transition | undefined {
  if (message.type === "progressed") return progressEvents.progressed(message.said, nowMs);
  return progressEvents.reported(message.event, message.node, message.data, nowMs);
}

function decideControl(machine: Machine, message: ControlMessage, nowMs: number): Transition {
  const transition = controlUnit(machine, message, nowMs);
  const isEvent = message.type === "signal" && stepOfEventSignal(message.signal.name) !== undefined;
  if (!isEvent) transition.audit = auditOf(`graph.${message.type}`, machine.row.id, nowMs, message.auditContext);
  return transition;
}

function controlUnit(machine: Machine, message: ControlMessage, nowMs: number): Transition {
  const { auditContext } = message;
  switch (message.type) {
    case "pause":
      return machine.pause(nowMs, auditContext);
    case "resume":
      return machine.resume(nowMs, auditContext);
    case "cancel":
      return machine.cancel(nowMs, auditContext, message.error);
    case "terminate":
      return machine.terminate(nowMs, auditContext);
    case "retry":
      return machine.retry(nowMs, auditContext, message.auditContext?.from);
    case "signal":
      return machine.signalled(message.signal, message.wait, message.value, nowMs);
  }
}

function decideCompensation({ ending }: Machine, message: CompensationMessage, nowMs: number): Transition {
  const { node } = message;
  switch (message.type) {
    case "compensationStarted":
      return ending.compensationBegun(node, nowMs);
    case "compensationInterrupted":
      return ending.compensationInterrupted(node, nowMs);
    case "compensationDone":
      return ending.undone(node, nowMs);
    case "compensationFailed":
      return ending.compensationFailed(node, message.error, message.retryAtMs, nowMs);
  }
}

function decideDurable(machine: Machine, message: DurableMessage, change: Change): void {
  const { node, state } = message;
  const { inner } = machine;
  const { nowMs } = change;
  if (state) change.node(node, { state });
  // The attempt goes on beside its waits: after a crash it has to run at once.
  if (isSuspended(node)) change.node(node, { dueMs: undefined });
  switch (message.type) {
    case "checkpoint":
      return inner.progressed(change, node);
    case "stepDone": {
      const { artifact, startedMs = nowMs } = message;
      if (artifact) (change.transition.artifacts ??= []).push({ ...artifact, createdMs: nowMs });
      return inner.stepDone(change, node, message, startedMs);
    }
    case "attributesSet": {
      const { id, changes } = message;
      machine.setAttributes(change, node, changes);
      return inner.stepDone(change, node, { id, kind: "step", result: changes }, nowMs);
    }
    case "stepFailed":
      return inner.stepFailed(change, node, message);
    case "stepRetrying":
      return change.event("node.retrying", message.id, message.data);
    case "sleep":
      return inner.sleep(change, message.wait, message.dueMs);
    case "waitForSignal": {
      const { timeoutMs } = message;
      return inner.signal(change, message.wait, timeoutMs === undefined ? undefined : nowMs + timeoutMs);
    }
    case "call":
      return inner.call(change, message.wait, message.options);
    case "waitDue":
      return inner.settle(change, message.wait);
    case "signalRefused":
      inner.signals.take(change, message.signal, undefined);
      return change.event("log", node.id, { level: "warn", message: message.message });
  }
}
