/** Settings of the screens in this browser's storage. If the page may not use the storage, nothing is remembered. */

/** @returns the stored value, or null. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param word undefined: removes it */
export function keep(name: string, word: string | undefined): void {
  try {
    if (word === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, word);
  } catch {
    // The setting then applies to this page only.
  }
}
