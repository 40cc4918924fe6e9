/** Measures what live updates cost a page. */
import type { CDPSession } from "playwright-core";

export interface Frames {
  /** Frames in which updates arrived. */
  slices: number;
  /** Most rows added in one frame. */
  mostRows: number;
  /** Durations of long tasks, in milliseconds. */
  tasks: number[];
}

/** Counts frames, rows and long tasks. Runs in the page before its own scripts. */
export function countFrames(): void {
  const frames: Frames = ((window as unknown as { frames: Frames }).frames = { slices: 0, mostRows: 0, tasks: [] });
  new PerformanceObserver((list) => frames.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: "longtask",
    buffered: true,
  });
  let rows = 0;
  addEventListener("svc:patch", () => {
    rows = 0;
    frames.slices++;
  });
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node instanceof Element && node.matches("li[data-seq]")) rows++;
    frames.mostRows = Math.max(frames.mostRows, rows);
  }).observe(document, { childList: true, subtree: true });
}

/** Time the page spent on scripts, styles and layout so far, in milliseconds. */
export async function threadMs(client: CDPSession): Promise<number> {
  const { metrics } = await client.send("Performance.getMetrics");
  const seconds = metrics
    .filter(({ name }) => ["ScriptDuration", "LayoutDuration", "RecalcStyleDuration"].includes(name))
    .reduce((sum, { value }) => sum + value, 0);
  return seconds * 1000;
}
