/** What a browser keeps for the screens: a word by its name. Where it keeps nothing for the page (it then throws), all is as in a new one. */

/** @returns what was kept, or null. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param word undefined: forgets it */
export function keep(name: string, word: string | undefined): void {
  try {
    if (word === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, word);
  } catch {
    // Then it holds for this page alone.
  }
}
