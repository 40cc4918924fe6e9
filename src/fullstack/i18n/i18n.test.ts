import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { format } from "./format.ts";
import { alternatesOf, barePath, directionOf, localPath, negotiated, readLocales } from "./locales.ts";
import { plural, select } from "./messages.ts";

const text = (template: Parameters<typeof format>[0]["text"], params = {}, locale = "en"): string =>
  format({ locale, text: template }, params);

describe("a message", () => {
  it("formats its parameters for its language", () => {
    assert.equal(text("Hello {name}", { name: "Ada" }), "Hello Ada");
    assert.equal(text("{n} of {n}", { n: 1234.5 }), "1,234.5 of 1,234.5");
    assert.equal(text("{n}", { n: 1234.5 }, "de"), "1.234,5");
    assert.equal(text("{day}", { day: new Date(Date.UTC(2026, 10, 21, 12)) }, "de"), "21.11.2026");
    assert.equal(text("{missing} {}", {}), "{missing} {}");
  });

  it("is chosen by the plural category of a number, or by the exact number", () => {
    const books = plural("n", { "=0": "keine", one: "{n} Buch", other: "{n} Bücher" });
    assert.deepEqual(
      [0, 1, 2].map((n) => text(books, { n }, "de")),
      ["keine", "1 Buch", "2 Bücher"],
    );
    const files = plural("n", { one: "{n} plik", few: "{n} pliki", many: "{n} plików", other: "{n} pliku" });
    assert.deepEqual(
      [1, 3, 5, 22, 1.5].map((n) => text(files, { n }, "pl")),
      ["1 plik", "3 pliki", "5 plików", "22 pliki", "1,5 pliku"],
    );
    const arabic = plural("n", { zero: "z", one: "o", two: "t", few: "f", many: "m", other: "x" });
    assert.deepEqual(
      [0, 1, 2, 5, 15, 100].map((n) => text(arabic, { n }, "ar")),
      ["z", "o", "t", "f", "m", "x"],
    );
  });

  it("is chosen by a text, also within another choice", () => {
    const invited = select("who", { team: "all", other: plural("n", { one: "one", other: "{n}" }) });
    assert.deepEqual([text(invited, { who: "team", n: 2 }), text(invited, { who: "x", n: 2 })], ["all", "2"]);
    for (const who of ["__proto__", "constructor", "toString"]) assert.equal(text(invited, { who, n: 1 }), "one");
  });

  it("never interprets a parameter as a template", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        assert.equal(text("<{name}> {n}", { name: `${name}{n}`, n: 1 }), `<${name}{n}> 1`);
      }),
    );
  });
});

describe("the language of a request", () => {
  const locales = readLocales(["de", "en", "pt-BR", "zh-Hant"], "en", "path");

  for (const [header, locale] of [
    ["", "en"],
    ["de", "de"],
    ["de-AT,en;q=0.5", "de"],
    ["fr,de;q=0.3,en;q=0.9", "en"],
    ["fr", "en"],
    ["PT", "pt-BR"],
    ["zh-Hant-TW", "zh-Hant"],
    ["*", "en"],
    ["fr, *;q=0.1", "en"],
    ["de;q=0, en;q=0.1", "en"],
    ["de;q=evil, pt-br", "pt-BR"],
    [`${"x,".repeat(5000)}de`, "en"],
  ] as const) {
    it(`is ${locale} for the header ${JSON.stringify(header.slice(0, 40))}`, () =>
      assert.equal(negotiated(locales, header), locale));
  }

  it("is always a language of the app, for any header", () => {
    fc.assert(fc.property(fc.string(), (header) => assert.ok(locales.all.includes(negotiated(locales, header)))));
  });

  it("is the prefix of a path except for the default language, and can be replaced", () => {
    assert.equal(localPath(locales, "/about", "de"), "/de/about");
    assert.equal(localPath(locales, "/", "de"), "/de");
    assert.equal(localPath(locales, "/de/about", "pt-BR"), "/pt-BR/about");
    assert.equal(localPath(locales, "/de/about?a=b#c", "en"), "/about?a=b#c");
    assert.equal(barePath(locales, "/detail"), "/detail");
    assert.equal(barePath(locales, "/en/about"), "/en/about");
    assert.deepEqual(alternatesOf(locales, "/de/a"), {
      en: "/a",
      de: "/de/a",
      "pt-BR": "/pt-BR/a",
      "zh-Hant": "/zh-Hant/a",
      "x-default": "/a",
    });
  });

  it("determines the text direction", () => {
    const directions = ["en", "ar", "he-IL", "fa", "ur-Latn", "az-Arab", "de"].map(directionOf);
    assert.deepEqual(directions, ["ltr", "rtl", "rtl", "rtl", "ltr", "rtl", "ltr"]);
  });

  for (const tag of ["DE", "en_US", "", "../x"])
    it(`can not be the invalid tag "${tag}"`, () =>
      assert.throws(() => readLocales([tag], tag, "path"), { code: "SVC_DEFINITION" }));
});
