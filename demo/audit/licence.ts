/**
 * Reads SPDX licence expressions (SPDX 2.3 annex D) as far as an audit needs: the class of what you are bound to.
 * `A OR B` lets you choose, so the freer one counts; `A AND B` binds you to both, so the stricter one counts.
 */

/** From free to strict; "unknown" is what nobody can rely on. */
export const LICENCE_CLASSES = ["permissive", "weak-copyleft", "strong-copyleft", "unknown"] as const;
export type LicenceClass = (typeof LICENCE_CLASSES)[number];

const PERMISSIVE = new Set(
  (
    "0bsd afl-2.1 afl-3.0 apache-1.1 apache-2.0 artistic-2.0 blueoak-1.0.0 bsl-1.0 bsd bsd-2-clause bsd-3-clause bsd-4-clause " +
    "cc-by-3.0 cc-by-4.0 cc0-1.0 isc json mit mit-0 ms-pl ncsa postgresql psf-2.0 python-2.0 unicode-3.0 unicode-dfs-2016 " +
    "unlicense upl-1.0 wtfpl x11 zlib"
  ).split(" "),
);
const STRONG = /^(a?gpl|sspl|osl|eupl)-?\d/;
const WEAK = /^(lgpl|mpl|epl|cddl|cpl|cc-by-sa)-?\d?/;

/** @param expression as in package.json; anything that is no SPDX expression is "unknown". */
export function licenceClass(expression: string): LicenceClass {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  const result = anyOf(words);
  return words.length === 0 && result !== undefined ? result : "unknown";
}

// The three readers below consume `words` from the front; `undefined` means "no licence where one was due".

function anyOf(words: string[]): LicenceClass | undefined {
  let best = allOf(words);
  while (best !== undefined && words[0]?.toUpperCase() === "OR") {
    words.shift();
    const other = allOf(words);
    if (other === undefined) return undefined;
    best = rank(other) < rank(best) ? other : best;
  }
  return best;
}

function allOf(words: string[]): LicenceClass | undefined {
  let worst = single(words);
  while (worst !== undefined && words[0]?.toUpperCase() === "AND") {
    words.shift();
    const other = single(words);
    if (other === undefined) return undefined;
    worst = rank(other) > rank(worst) ? other : worst;
  }
  return worst;
}

function single(words: string[]): LicenceClass | undefined {
  const word = words.shift();
  if (word === undefined || word === ")") return undefined;
  if (word === "(") {
    const inner = anyOf(words);
    return words.shift() === ")" ? inner : undefined;
  }
  if (words[0]?.toUpperCase() === "WITH") words.splice(0, 2);
  return classOfId(word.toLowerCase());
}

function classOfId(id: string): LicenceClass {
  if (PERMISSIVE.has(id)) return "permissive";
  if (WEAK.test(id)) return "weak-copyleft";
  return STRONG.test(id) ? "strong-copyleft" : "unknown";
}

function rank(licence: LicenceClass): number {
  return LICENCE_CLASSES.indexOf(licence);
}
