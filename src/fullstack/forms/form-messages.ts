/** The framework's own messages of forms in the language of a page. Messages of schemas and handlers are the app's. */
import type { Issue } from "../../index.ts";
import { FORM_TEXTS, MAX_FILE_BYTES, sizeText } from "../../internal.ts";
import type { Files } from "./submit.ts";

/** Texts that replace the English ones. The default of each is English. */
export interface FormMessages {
  /** Heading of the list of errors. */
  errors?: (count: number) => string;
  /** A file above its limit, next to its field. `{limit}` becomes a size such as `5 MB`. */
  tooLarge?: string;
  /** The visitor's session has ended, so the form can't be accepted. */
  expired?: string;
  /** The visitor has sent too many forms. */
  tooMany?: string;
  /** The handler failed. */
  failed?: string;
  /** With JavaScript: no response from the server. */
  unreachable?: string;
  /** With JavaScript: the browser has no connection. */
  offline?: string;
  /** With JavaScript: the form has errors that its page can't show. */
  invalid?: string;
}

/** English text -> its replacement. */
export type FormTable = Readonly<Record<string, string>>;

export function tableOf(messages: FormMessages): FormTable {
  const pairs = Object.entries(FORM_TEXTS).map(([key, text]) => [text, messages[key as keyof typeof FORM_TEXTS]]);
  return Object.fromEntries(pairs.filter(([, own]) => own !== undefined)) as FormTable;
}

/** An issue with the text of a file that is too large, if it is about one. */
export function withFileText(issue: Issue, files: Files | undefined, table: FormTable): Issue {
  const [field] = issue.path;
  const rule = typeof field === "string" && files && Object.hasOwn(files, field) ? files[field] : undefined;
  if (!rule) return issue;
  const { maxBytes = MAX_FILE_BYTES } = rule;
  const said = (text: string): string => text.replace("{limit}", sizeText(maxBytes));
  const own = table[FORM_TEXTS.tooLarge];
  return own !== undefined && issue.message === said(FORM_TEXTS.tooLarge) ? { ...issue, message: said(own) } : issue;
}
