/** A limit for work that may never end, because a browser no longer answers. */

/** @throws an error that names the limit, or the error of the work */
export async function inTime<Result>(work: Promise<Result>, limitMs: number, name: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`${name} did not end within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
