/**
 * Commands for runs whose definition this build lacks or has changed, if no process has it: a command that needs no definition changes
 * the rows directly, any other is rejected.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { hasEnded } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import type { Transition } from "../../../storage/contract/transition.ts";
import { StaleLeaseError, type RunCommand } from "../cluster-port.ts";
import { decide } from "../../machine/decide.ts";
import { standIn } from "../../machine/stand-in.ts";
import { Machine } from "../../machine/machine.ts";
import { RunState } from "../../machine/run-state.ts";
import { misfit } from "../../machine/recovery.ts";
import type { OutboxRows } from "../../machine/report-types.ts";
import type { ControlMessage } from "../../machine/run-message.ts";
import { calledIn, type Registry } from "../registry.ts";
import { sendSignal, type SignalMessage } from "./send-signal.ts";

export interface UnfitOptions {
  graphs: GraphStore;
  registry: Registry;
  clock: Clock;
  outboxRows: OutboxRows;
  /** Limit for the payload of a signal. */
  inputBytes: number;
}

const NOT_COMPENSATED = "Cancelled by an operator; no process has its definition, so nothing was compensated";

export class Unfit {
  readonly #options: UnfitOptions;
  readonly #checks = new Map<string, Promise<boolean>>();

  constructor(options: UnfitOptions) {
    this.#options = options;
  }

  /**
   * Executes a command for a run that this process holds for it.
   * @param lease undefined if the process has the store to itself.
   * @returns the run afterwards; undefined if its definition fits or it has ended: then it is loaded as usual.
   * @throws SvcError `SVC_TRANSITION` if the command needs the definition; rejections of the command itself.
   */
  async execute(graphId: string, lease: number | undefined, command: RunCommand): Promise<Machine | undefined> {
    if (await this.#fits(graphId)) return undefined;
    const machine = await this.#read(graphId);
    if (!machine) return undefined;
    const { clock, graphs, inputBytes } = this.#options;
    const write = async (message: ControlMessage): Promise<void> => {
      const transition = decide(machine, message, clock.now()) as Transition;
      if (transition.fence && lease !== undefined) transition.fence.lease = lease;
      if (await graphs.commit(transition)) return;
      throw new StaleLeaseError();
    };
    if (command.step === "pause") await write({ type: "pause", auditContext: command.options });
    else if (command.step === "cancel")
      await write({ type: "cancel", auditContext: command.options, error: NOT_COMPENSATED });
    else if (command.step === "terminate") await write({ type: "terminate", auditContext: command.options });
    else if (command.step === "signal") {
      const { name, payload, options } = command;
      const live = { machine };
      const target = {
        store: graphs,
        live: async () => live,
        control: async (_: object, message: SignalMessage) =>
          write({ type: "signal", auditContext: options, ...message }),
        snapshot: async () => undefined,
        inputBytes,
      };
      await sendSignal(target, { graphId, name, payload, key: options.idempotencyKey, actor: options.by });
    } else throw this.#refusal(machine, command.step);
    return machine;
  }

  #refusal({ row }: Machine, step: string): SvcError {
    return new SvcError(
      "SVC_TRANSITION",
      `The graph ${row.id} was started as ${calledIn(row)} with other nodes than this build has, and no process has them; ${step} needs them. Start a process of the build that started it, or cancel it.`,
    );
  }

  /** Concurrent commands share one check. Otherwise a retry could wait for its own check until the run of another retry has ended, and begin the run again. */
  #fits(graphId: string): Promise<boolean> {
    const known = this.#checks.get(graphId);
    if (known) return known;
    const check = this.#read(graphId)
      .then((machine) => machine === undefined)
      .finally(() => this.#checks.delete(graphId));
    this.#checks.set(graphId, check);
    return check;
  }

  async #read(graphId: string): Promise<Machine | undefined> {
    const { graphs, registry, outboxRows } = this.#options;
    const [stored] = await graphs.load([graphId]);
    if (!stored || hasEnded(stored.row)) return undefined;
    const { row, nodes, lastSeq, signals } = stored;
    const definition = registry.of(row);
    if (definition && misfit(row, new RunState(nodes, definition)) === undefined) return undefined;
    return new Machine(row, nodes, lastSeq, standIn(stored), outboxRows, signals);
  }
}
