/** A story's view of a browser, whichever protocol drives it. `firefox.ts` and `webkit.ts` implement it. */
import { inTime } from "./in-time.ts";

export interface Visitor {
  /** Begins to load a page, and does not wait for it. */
  go(url: string): Promise<void>;
  /** Runs a function in the page. It sees only its arguments, which are JSON. */
  run<Result, Args extends unknown[]>(work: (...args: Args) => Result, ...args: Args): Promise<Awaited<Result>>;
  /** Clicks the centre of the first matching element with the mouse. @param text its whole text. Default: any */
  click(selector: string, text?: string): Promise<void>;
  doubleClick(selector: string): Promise<void>;
  hover(selector: string): Promise<void>;
  /** Types into the focused element. */
  type(text: string): Promise<void>;
  press(key: Key): Promise<void>;
  close(): Promise<void>;
}

export interface Launched {
  /** Opens a page with storage and cookies of its own. */
  visit(): Promise<Visitor>;
  close(): Promise<void>;
}

export type Key = "Enter" | "Escape" | "Tab" | "ArrowDown" | "ArrowUp" | "Backspace";

/** Only a condition that never holds reaches it, and a machine with much other work. */
const LIMIT_MS = 30_000;
/** WebKit's driver loses the answers of a page that is being replaced. */
const ANSWER_MS = 5000;
const LOOK_MS = 25;

/**
 * Asks a page until the answer is truthy. A page that is being replaced cannot answer, which counts as "not yet", so `ask` must change nothing.
 * @throws after the limit, with the question and the last answer or error
 */
export async function look<Answer>(
  ask: () => Promise<Answer>,
  question: string,
  limitMs = LIMIT_MS,
): Promise<NonNullable<Answer>> {
  const end = performance.now() + limitMs;
  let last: unknown;
  while (performance.now() < end) {
    try {
      const answer = await inTime(ask(), ANSWER_MS, "The page's answer");
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
  throw new Error(`Never true: ${question}; the last answer was ${String(last)}`);
}

/** Waits until a condition in the page holds. @throws as `look` does */
export async function until<Args extends unknown[]>(
  visitor: Visitor,
  holds: (...args: Args) => unknown,
  ...args: Args
): Promise<void> {
  await look(() => visitor.run(holds, ...args), `${String(holds)} of ${JSON.stringify(args)}`);
}

/** Waits until the first matching element has this text. */
export function shows(visitor: Visitor, selector: string, text: string): Promise<void> {
  return until(visitor, (at, expected) => document.querySelector(at)?.textContent?.trim() === expected, selector, text);
}

/** Loads a page completely, scripts included. */
export async function open(visitor: Visitor, url: string): Promise<void> {
  await visitor.go(url);
  await until(visitor, (href) => location.href === href && document.readyState === "complete", url);
}
