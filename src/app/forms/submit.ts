/**
 * Form submits: what a form is posted to, and what a page is told whose form was refused. Owns the definition and what is known of
 * a refusal; app/forms/submit-endpoint.ts owns the way over HTTP (contract section 5). What fills a definition is `submit` of the
 * full-stack variant.
 */
import type { Duration } from "../../platform/shared/clock.ts";
import type { FileRule, UploadedFile } from "../../platform/http/body/upload.ts";
import type { Context } from "../../platform/http/types.ts";
import { SvcError, type Issue } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";

/** What came, before anything is made of it. */
export interface SubmitBody {
  /** Of a form: its fields in their order, without those of the framework. A name may come several times. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Of a JSON body: the value; undefined for a form. */
  readonly json: Json | undefined;
  /** Files, on the disk until `run` has ended. */
  readonly files: readonly UploadedFile[];
}

export interface SubmitDefinition {
  /** Longest body, in bytes; longer ones are refused with 413, unread. Default 1 MiB, and what `files` add to that. */
  readonly maxBytes?: number | undefined;
  /** File fields by name; others take none. Default: none. */
  readonly files?: Readonly<Record<string, FileRule>> | undefined;
  /** Submits of one client, counted for this one alone, in place of the limit that all share (`SVC_RATE_SUBMITS`). */
  readonly limit?: { readonly perMinute: number } | undefined;
  /** How long it may take, in milliseconds; then the answer is 503. Default: as long as it takes. */
  readonly timeout?: Duration | undefined;
  /**
   * Whether a form that is sent twice (a double click, a reload) runs once. Default true. `false` for what signs in: the second
   * answer would have no session to bring.
   */
  readonly once?: boolean | undefined;
  /** Names of fields whose values no page is given back, besides those that name a password or a secret. */
  readonly secret?: readonly string[] | undefined;
  /**
   * Does it. `redirect()` says where the visitor goes; else back to the page with the form. `fail()` and its kin refuse.
   * @returns for programs: what JSON holds
   */
  readonly run: (body: SubmitBody, ctx: Context) => unknown;
}

/** What became of a form on the page that it was sent from. */
export interface Submitted {
  /** Of the submit. */
  readonly name: string;
  /** Which of the page's forms it was, where the form says so: its id. */
  readonly form: string | undefined;
  readonly status: number;
  /** For the visitor. */
  readonly message: string;
  /** What is wrong with single fields, by path from the input's root. */
  readonly issues: readonly Issue[];
  /** What was sent, but for files and secrets. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const refusals = new WeakMap<Context, Submitted>();

/**
 * The form that was sent from this page and refused: the page is shown again, with the status of the refusal, and its form may
 * show what was typed and what is wrong. Undefined for a page that was asked for.
 */
export function submitted(ctx: Context): Submitted | undefined {
  return refusals.get(ctx);
}

export function noteSubmitted(ctx: Context, refusal: Submitted): void {
  refusals.set(ctx, refusal);
}

/** Names of fields that are for nobody's eyes, whoever wrote the form. */
const SECRET = /passw|passphrase|secret|token|cvc|cvv|card.?number|\bpin\b|\botp\b/i;

/** What a page may be given back of a form. */
export function withoutSecrets({ fields }: SubmitBody, { secret = [] }: SubmitDefinition): Submitted["fields"] {
  return fields.filter(([name]) => !SECRET.test(name) && !secret.includes(name));
}

const NAME = /^[A-Za-z][\w.-]{0,99}$/;

/** @throws SvcError `SVC_DEFINITION` */
export function readSubmits(given: Readonly<Record<string, SubmitDefinition>>): Map<string, SubmitDefinition> {
  const submits = new Map(Object.entries(given));
  for (const [name, definition] of submits) {
    if (!NAME.test(name))
      throw new SvcError(
        "SVC_DEFINITION",
        `submits has "${name}"; a name begins with a letter and holds letters, digits, _ . and -`,
      );
    if (typeof definition?.run !== "function")
      throw new SvcError(
        "SVC_DEFINITION",
        `submits.${name} is not a submit; make it with submit(…) from "svckit/fullstack"`,
      );
  }
  return submits;
}
