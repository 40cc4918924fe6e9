/** A time that runs out unless it is held. Owns no timer: those of the browser, or of a test, are given to it. */

export interface Timers {
  /** Milliseconds, from wherever. */
  now: () => number;
  set: (run: () => void, ms: number) => unknown;
  clear: (timer: never) => void;
}

export interface Countdown {
  hold(): void;
  /** Goes on with what was left. */
  goOn(): void;
}

/** Calls `end` once `ms` have gone by in which nobody held it. Runs from the start. */
export function countdown(ms: number, end: () => void, { now, set, clear }: Timers): Countdown {
  let left = ms;
  let began: number | undefined;
  let timer: unknown;
  const goOn = (): void => {
    if (began !== undefined) return;
    began = now();
    timer = set(end, left);
  };
  goOn();
  return {
    goOn,
    hold() {
      if (began === undefined) return;
      clear(timer as never);
      left -= now() - began;
      began = undefined;
    },
  };
}
