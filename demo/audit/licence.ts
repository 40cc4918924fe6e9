/**
 * Classifies SPDX licence expressions (SPDX 2.3 annex D) by the obligations that they impose.
 * `A OR B` is a choice, so the more permissive one counts; `A AND B` imposes both, so the stricter one counts.
 */

/** From permissive to strict; "unknown" counts as strictest. */
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

/** @param expression as in package.json; an invalid SPDX expression is "unknown". */
export function licenceClass(expression: string): LicenceClass {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  const result = anyOf(words);
  return words.length === 0 && result !== undefined ? result : "unknown";
}

// The three parsers below consume `words` from the front; `undefined` means that a licence is missing.

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
