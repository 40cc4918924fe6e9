/** Named entities of JSX: those of HTML 4 (the JSX specification), as characters of the HTML standard, and a few more. */

/** Names of consecutive characters from a first code point on. `-` marks a character without a name. */
const RANGES: [first: number, names: string][] = [
  [
    0xa0,
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
      "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
      "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
      "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
      "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
      "thorn yuml",
  ],
  [
    0x391,
    "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi " +
      "Psi Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho " +
      "sigmaf sigma tau upsilon phi chi psi omega - - - - - - - thetasym upsih - - - piv",
  ],
  [0x2018, "lsquo rsquo sbquo - ldquo rdquo bdquo - dagger Dagger bull - - - hellip"],
  [0x2190, "larr uarr rarr darr harr"],
  [0x21d0, "lArr uArr rArr dArr hArr"],
  [
    0x2200,
    "forall - part exist - empty - nabla isin notin - ni - - - prod - sum minus - - - - lowast - - radic - - prop infin - ang",
  ],
  [0x2227, "and or cap cup int"],
  [0x2308, "lceil rceil lfloor rfloor"],
];

const SINGLES =
  "quot=22 amp=26 apos=27 lt=3c gt=3e OElig=152 oelig=153 Scaron=160 scaron=161 Yuml=178 fnof=192 circ=2c6 tilde=2dc " +
  "ensp=2002 emsp=2003 thinsp=2009 zwnj=200c zwj=200d lrm=200e rlm=200f ndash=2013 mdash=2014 permil=2030 prime=2032 " +
  "Prime=2033 lsaquo=2039 rsaquo=203a oline=203e frasl=2044 euro=20ac image=2111 weierp=2118 real=211c trade=2122 " +
  "alefsym=2135 crarr=21b5 there4=2234 sim=223c cong=2245 asymp=2248 ne=2260 equiv=2261 le=2264 ge=2265 sub=2282 " +
  "sup=2283 nsub=2284 sube=2286 supe=2287 oplus=2295 otimes=2297 perp=22a5 sdot=22c5 loz=25ca spades=2660 clubs=2663 " +
  "hearts=2665 diams=2666 check=2713 lang=27e8 rang=27e9";

export const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...RANGES.flatMap(([first, names]) =>
    names.split(" ").map((name, at): [string, string] => [name, String.fromCodePoint(first + at)]),
  ),
  ...SINGLES.split(" ").map((pair): [string, string] => {
    const [name = "", code = ""] = pair.split("=");
    return [name, String.fromCodePoint(Number.parseInt(code, 16))];
  }),
]);
