/** Announces new rows of the activity ticker to screen readers, at most every five seconds. */

const EAR_MS = 5000;
let reportedAt = -EAR_MS;
let isReporting = false;
let lastTick = document.querySelector("[data-tick]")?.getAttribute("data-tick");

/** @param live the list, as it is now */
export function announceUpdates(live: Element): void {
  const ticks = [...live.querySelectorAll("[data-tick]")];
  const seen = ticks.findIndex((tick) => tick.getAttribute("data-tick") === lastTick);
  const fresh = seen < 0 ? ticks : ticks.slice(0, seen);
  const ear = document.querySelector("[data-ear]");
  const now = performance.now();
  if (!ear || fresh.length === 0 || isReporting) return;
  const restMs = reportedAt + EAR_MS - now;
  if (restMs > 0) {
    isReporting = true;
    setTimeout(() => {
      isReporting = false;
      announceUpdates(live);
    }, restMs);
    return;
  }
  reportedAt = now;
  lastTick = ticks[0]?.getAttribute("data-tick");
  const newest = fresh.slice(0, 2).map((tick) => tick.querySelector(".ticker-what")?.firstChild?.textContent?.trim());
  const words = fresh.slice(0, 2).map((tick) => tick.querySelector(".svc-status-word")?.textContent ?? "");
  ear.textContent = `${fresh.length} new: ${newest.map((name, at) => `${name ?? ""} ${words[at] ?? ""}`).join(", ")}`;
}
