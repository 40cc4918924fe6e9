/** A page of few matches, which are all known. */

/** @param ids of all matches, newest first @param to only lower ids @returns the page, and the id after which the next one begins */
export function sliceOfFew(
  ids: readonly string[],
  limit: number,
  to: string,
): { ids: string[]; resumeAt: string | undefined } {
  const rest = ids.filter((id) => id < to);
  return { ids: rest.slice(0, limit), resumeAt: rest.length > limit ? rest[limit - 1] : undefined };
}
