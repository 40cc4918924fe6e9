/** Caches parsed cron expressions. cron.ts defines their times. */
import type { Clock } from "../../platform/shared/clock.ts";
import { loadCron, type CronTimes } from "./cron.ts";

/** More than any app needs. Repeated edits must not fill the memory. */
const MOST_KNOWN = 1000;

export class KnownTimes {
  readonly #clock: Clock;
  readonly #known = new Map<string, CronTimes>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws SvcError `SVC_INVALID` for an invalid expression or time zone */
  async of(cron: string, timeZone: string): Promise<CronTimes> {
    return (await this.reader())(cron, timeZone);
  }

  /** Synchronous form of `of`. */
  async reader(): Promise<(cron: string, timeZone: string) => CronTimes> {
    const read = await loadCron();
    return (cron, timeZone) => {
      const key = `${timeZone} ${cron}`;
      const known = this.#known.get(key);
      if (known) return known;
      const times = read(cron, timeZone, this.#clock.now());
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(key, times);
      return times;
    };
  }
}
