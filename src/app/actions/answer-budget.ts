/**
 * Limits the disk space of stored answers (idempotency.ts): per client, per IPv6 /48 and in total, for the time that answers are kept. Counts
 * in this process, so a restart begins again.
 */
import { clientKey, CLIENTS_PER_NETWORK, networkKey } from "../../platform/security/rate-limits/rate-limit.ts";
import { MemoryCounters } from "../../platform/security/rate-limits/memory-counters.ts";
import type { Clock } from "../../platform/shared/clock.ts";

const MIB = 1024 ** 2;
/** Answers are about 1 KB, so this is 16,000 calls of a client a day. */
const CLIENT_BYTES = 16 * MIB;
const TOTAL_BYTES = 512 * MIB;
/** Row and index of an answer, beside its body. */
const ROW_BYTES = 256;

export class AnswerBudget {
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #counters = new MemoryCounters();

  /** @param keptMs time for which an answer is stored */
  constructor(clock: Clock, keptMs: number) {
    this.#clock = clock;
    this.#keptMs = keptMs;
  }

  /** Counts an answer. @returns whether its body may be stored */
  accepts(clientIp: string, bodyBytes: number): boolean {
    const network = networkKey(clientIp);
    const client = this.#fits(`client ${clientKey(clientIp)}`, bodyBytes, CLIENT_BYTES);
    // An answer that is not stored takes nothing from the others.
    if (!client) return false;
    if (network !== undefined && !this.#fits(`network ${network}`, bodyBytes, CLIENT_BYTES * CLIENTS_PER_NETWORK))
      return false;
    return this.#fits("total", bodyBytes, TOTAL_BYTES);
  }

  #fits(key: string, bodyBytes: number, most: number): boolean {
    return this.#counters.add(key, bodyBytes + ROW_BYTES, this.#keptMs, this.#clock.now()).consumed <= most;
  }
}
