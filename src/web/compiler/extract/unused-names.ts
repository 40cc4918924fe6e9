/** Names for code that a rewritten form adds to a module. */

/** @returns the name, or the name with underscores behind it if the text of the module contains it */
export function unusedName(name: string, text: string): string {
  let unused = name;
  while (text.includes(unused)) unused += "_";
  return unused;
}
