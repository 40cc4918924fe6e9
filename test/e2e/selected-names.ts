/** Which fixtures a run plays: a variable of the environment lists parts of names, separated by commas. Without it, all are played. */

/** @throws if a part is in no name, because such a run would test nothing and pass */
export function selectedNames(names: readonly string[], variable: string, env = process.env): string[] {
  const parts = (env[variable] ?? "").split(",");
  for (const part of parts)
    if (!names.some((name) => name.includes(part)))
      throw new Error(`${variable}: no fixture has "${part}" in its name; separate parts of names by commas`);
  return names.filter((name) => parts.some((part) => name.includes(part))).sort();
}
