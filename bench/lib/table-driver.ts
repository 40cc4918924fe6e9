/**
 * The table workload in the browser: `runTable` is sent to the page as text, so it uses no outer variables.
 * It measures the script of one click, to the microtask in which the rows exist, and the resulting layout. Of a framework that works in
 * later tasks it measures the time until the rows exist.
 */

/** Milliseconds. */
export interface Sample {
  operation: string;
  script: number;
  /** Including style and layout of the whole page. */
  total: number;
}

/**
 * @param repeats measurements per operation
 * @param mayBeLater whether an operation may end in a later task than its click
 * @throws if the document is wrong after an operation
 */
export async function runTable(repeats: number, withMany: boolean, mayBeLater = false): Promise<Sample[]> {
  const samples: Sample[] = [];
  const body = (): Element => document.querySelector("tbody") as Element;
  const rows = (): HTMLCollection => body().children;
  const count = (): number => rows().length;
  const row = (at: number): Element => rows()[at] as Element;
  const idOf = (at: number): string => row(at).firstElementChild?.textContent ?? "";
  const labelOf = (at: number): string => row(at).querySelector(".lbl")?.textContent ?? "";
  const click = (target: string | Element): void => {
    const element = typeof target === "string" ? document.getElementById(target) : target;
    (element as HTMLElement).click();
  };
  const settled = Promise.resolve();
  const collect = (globalThis as { gc?: () => void }).gc;

  /** A later task without the delay of timers. */
  const nextTask = (): Promise<unknown> => {
    const { port1, port2 } = new MessageChannel();
    return new Promise((done) => {
      port1.onmessage = done;
      port2.postMessage(0);
    });
  };
  const until = async (isDone: () => boolean, what: string): Promise<void> => {
    for (let turn = 0; !isDone(); turn++) {
      if (turn === 2000) throw new Error(`${what}: not done, ${count()} rows`);
      await new Promise((done) => setTimeout(done, 5));
    }
  };
  const prepare = async (target: string, isDone: () => boolean): Promise<void> => {
    click(target);
    await until(isDone, `prepare ${target}`);
  };
  const time = async (operation: string, target: string | Element, isDone: () => boolean): Promise<void> => {
    void document.body.offsetHeight;
    // Wait for a frame, so that no work of the preparation is pending.
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
    collect?.();
    const start = performance.now();
    click(target);
    for (let turn = 0; turn < 50 && !isDone(); turn++) await settled;
    for (let turn = 0; mayBeLater && turn < 5000 && !isDone(); turn++) await nextTask();
    const scripted = performance.now();
    void document.body.offsetHeight;
    const end = performance.now();
    if (!isDone()) throw new Error(`${operation}: not done within its microtasks, ${count()} rows`);
    samples.push({ operation, script: scripted - start, total: end - start });
  };
  const hasRows =
    (wanted: number): (() => boolean) =>
    () =>
      count() === wanted;
  const clear = (): Promise<void> => prepare("clear", hasRows(0));
  const create = async (): Promise<void> => {
    await clear();
    await prepare("run", hasRows(1000));
  };

  // The first click loads code; the next ones warm up the browser's compilers.
  for (let round = 0; round < 5; round++) {
    await prepare("run", hasRows(1000));
    const first = idOf(0);
    await prepare("run", () => count() === 1000 && idOf(0) !== first);
    await prepare("update", () => labelOf(0).endsWith("!!!"));
    const moved = idOf(1);
    await prepare("swaprows", () => idOf(998) === moved);
    click(row(4).querySelector(".lbl") as Element);
    await until(() => row(4).className === "danger", "select");
    click(row(7).querySelector(".remove") as Element);
    await until(hasRows(999), "remove");
    await prepare("add", hasRows(1999));
    await clear();
  }
  for (let round = 0; round < repeats; round++) {
    await clear();
    await time("create 1,000", "run", hasRows(1000));
    const first = idOf(0);
    await time("replace 1,000", "run", () => count() === 1000 && idOf(0) !== first);
    await time("update every 10th", "update", () => labelOf(990).endsWith("!!!"));
    await time("select", row(4 + round).querySelector(".lbl") as Element, () => row(4 + round).className === "danger");
    const next = row(500 + round).querySelector(".lbl") as Element;
    await time(
      "select another",
      next,
      () => row(500 + round).className === "danger" && row(4 + round).className === "",
    );
    const moved = idOf(1);
    await time("swap", "swaprows", () => idOf(998) === moved);
    const gone = idOf(5);
    await time("remove", row(5).querySelector(".remove") as Element, () => count() === 999 && idOf(5) !== gone);
    await create();
    await time("append 1,000", "add", hasRows(2000));
    await create();
    await time("clear 1,000", "clear", hasRows(0));
    if (!withMany || round > 0) continue;
    await time("create 10,000", "runlots", hasRows(10_000));
    await time("clear 10,000", "clear", hasRows(0));
  }
  return samples;
}
