/** Types of message parameters, and the check that all languages declare the same messages and parameters. */
import { createI18n, defineMessages, plural, select } from "svckit/fullstack";
import { format } from "svckit/i18n";

const en = defineMessages({
  "home.title": "Library",
  hello: "Hello {name}, it is {day}",
  "cart.added": plural("n", { "=0": "nothing", one: "{n} book by {author}", other: "{n} books by {author}" }),
  invited: select("who", { team: "{host} invites the team", other: plural("n", { one: "{host}", other: "{n}" }) }),
});

const de = defineMessages({
  "home.title": "Bücherei",
  hello: "Am {day}: hallo {name}",
  "cart.added": plural("n", { one: "ein Buch von {author}", other: "{n} Bücher von {author}" }),
  invited: select("who", { team: "{host} lädt alle ein", other: plural("n", { one: "{host}", other: "{n}" }) }),
});

const i18n = createI18n({ messages: { en, de }, defaultLocale: "en" });
const t = i18n.use();

export const texts: string[] = [
  t("home.title"),
  t("hello", { name: "Ada", day: new Date(0) }),
  t("cart.added", { n: 2, author: "Austen" }),
  t("invited", { who: "team", host: "Ada", n: 1 }),
  format(t.message("cart.added"), { n: 1, author: "Austen" }),
  format(t.message("home.title")),
  // @ts-expect-error there is no such message
  t("home.titel"),
  // @ts-expect-error the name is missing
  t("hello", { day: 1 }),
  // @ts-expect-error the parameters are missing
  t("hello"),
  // @ts-expect-error a plural needs a number
  t("cart.added", { n: "2", author: "Austen" }),
  // @ts-expect-error the message has no such parameter
  t("cart.added", { n: 2, author: "Austen", title: "Emma" }),
  // @ts-expect-error a parameter is missing in the browser too
  format(t.message("cart.added"), { n: 1 }),
];

// @ts-expect-error the other language lacks a message
createI18n({ messages: { en, fr: defineMessages({ "home.title": "Bibliothèque" }) }, defaultLocale: "en" });

createI18n({
  messages: { en: { hello: "Hello {name}" }, fr: { hello: "Bonjour {name}" } },
  defaultLocale: "en",
});

createI18n({
  // @ts-expect-error the other language lacks a parameter
  messages: { en: { hello: "Hello {name}" }, fr: { hello: "Bonjour" } },
  defaultLocale: "en",
});

createI18n({
  // @ts-expect-error the other language uses a parameter that the default lacks
  messages: { en: { hello: "Hello" }, fr: { hello: "Bonjour {name}" } },
  defaultLocale: "en",
});

createI18n({
  // @ts-expect-error the other language uses a text parameter as the number of a plural
  messages: { en: { hello: "Hello {name}" }, fr: { hello: plural("name", { other: "Bonjour {name}" }) } },
  defaultLocale: "en",
});

// @ts-expect-error the default language has no messages
createI18n({ messages: { en }, defaultLocale: "de" });

// @ts-expect-error a plural needs the form "other"
plural("n", { one: "one" });
