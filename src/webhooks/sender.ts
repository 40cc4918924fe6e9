/**
 * Sends attempts, over agents of its own. Loaded with the first of them, for undici would be a sixth of what a process does
 * until its first answer.
 */
import type { Agent } from "undici";
import { exemptAgent, guardedAgent, type GuardedAgentOptions } from "../security/guarded-agent.ts";
import type { DeliveryRow } from "../store/contract.ts";
import { sendAttempt, type AttemptContext, type AttemptResult, type Target } from "./attempt.ts";

export class Sender {
  readonly #options: GuardedAgentOptions;
  readonly #guarded: Agent;
  readonly #exempt: Agent;

  constructor(options: GuardedAgentOptions) {
    this.#options = options;
    this.#guarded = guardedAgent(options);
    this.#exempt = exemptAgent(options);
  }

  /** Never rejects: whatever happens is in the result. */
  send(
    delivery: DeliveryRow,
    target: Target,
    context: Omit<AttemptContext, "policy" | "guarded" | "exempt">,
  ): Promise<AttemptResult> {
    const { policy } = this.#options;
    return sendAttempt(delivery, target, { ...context, policy, guarded: this.#guarded, exempt: this.#exempt });
  }

  /** Ends what is open. */
  async destroy(): Promise<void> {
    await Promise.all([this.#guarded.destroy(), this.#exempt.destroy()]);
  }
}
