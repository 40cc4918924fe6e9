/** Whether somebody sees the page. One that nobody sees for a while needs no stream: over HTTP/1.1 a browser has six connections to a host, all its tabs together. */

/** Whoever looks elsewhere for a moment costs no new connection. */
const UNSEEN_MS = 10_000;

/** Whether nobody has seen the page for that long. */
export let isUnseen = false;

/** @param change called when that becomes so, and when the page is seen again */
export function onSight(change: () => void): void {
  let timer: number | undefined;
  const become = (now: boolean): void => {
    isUnseen = now;
    change();
  };
  const opsContext = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(become, UNSEEN_MS, true);
    else if (isUnseen) become(false);
  };
  document.addEventListener("visibilitychange", opsContext);
  opsContext();
}
