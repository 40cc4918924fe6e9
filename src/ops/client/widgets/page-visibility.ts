/**
 * Whether the page is visible. A page that stays hidden needs no stream: over HTTP/1.1 a browser has six connections per host, shared by
 * all its tabs.
 */

/** A shorter absence does not close the connections. */
const UNSEEN_MS = 10_000;

/** Whether the page has been hidden for that long. */
export let isUnseen = false;

/** @param change called when the page becomes unseen by that definition, and when it is visible again */
export function onSight(change: () => void): void {
  let timer: number | undefined;
  const become = (now: boolean): void => {
    isUnseen = now;
    change();
  };
  const update = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(become, UNSEEN_MS, true);
    else if (isUnseen) become(false);
  };
  document.addEventListener("visibilitychange", update);
  update();
}
