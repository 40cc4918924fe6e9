/**
 * Form submits: the target of a form, and what its page knows of a refused submission. submit-endpoint.ts serves them over HTTP
 * (docs/reference/http.md, section 5). `submit` of `svckit/fullstack` creates definitions.
 */
import type { Duration } from "../../platform/shared/clock.ts";
import type { FileRule, UploadedFile } from "../../platform/http/body/upload.ts";
import type { Context } from "../../platform/http/types.ts";
import { SvcError, type Issue } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";

/** The body before validation. */
export interface SubmitBody {
  /** Fields of a form in order, without the framework's. A name may occur several times. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Value of a JSON body; undefined for a form. */
  readonly json: Json | undefined;
  /** Files, on disk until `run` has ended. */
  readonly files: readonly UploadedFile[];
}

export interface SubmitDefinition {
  /** Largest body in bytes; a larger one is refused with 413, unread. Default 1 MiB plus the limits of `files`. */
  readonly maxBytes?: number | undefined;
  /** File fields by name; others accept no file. Default: none. */
  readonly files?: Readonly<Record<string, FileRule>> | undefined;
  /** Limit of submissions by one client, for this submit alone: replaces the shared limit (`SVC_RATE_SUBMITS`). */
  readonly limit?: { readonly perMinute: number } | undefined;
  /** Longest time, such as `"30s"`; after it the response is 503. Default: no limit. */
  readonly timeout?: Duration | undefined;
  /**
   * Whether a form that is submitted twice (double click, reload) runs once. Default true. Use `false` for a sign-in: the second response
   * would have no session.
   */
  readonly once?: boolean | undefined;
  /** Names of fields whose values are never rendered again, in addition to those that look like a password or a secret. */
  readonly secret?: readonly string[] | undefined;
  /**
   * Handles it. `redirect()` sets the next page; the default is the page of the form. `fail()` and its variants refuse.
   * @returns a JSON value for programs
   */
  readonly run: (body: SubmitBody, ctx: Context) => unknown;
}

/** The result of a form on its page. */
export interface Submitted {
  /** Name of the submit. */
  readonly name: string;
  /** Id of the form on the page, if it was sent. */
  readonly form: string | undefined;
  readonly status: number;
  /** Message for the visitor. */
  readonly message: string;
  /** Errors of fields, by path. */
  readonly issues: readonly Issue[];
  /** Submitted values, without files and secrets. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const refusals = new WeakMap<Context, Submitted>();

/**
 * The refused form of this page: the page is rendered again with the status of the refusal, and its form may show values and errors.
 * Undefined for a regular request.
 */
export function submitted(ctx: Context): Submitted | undefined {
  return refusals.get(ctx);
}

export function noteSubmitted(ctx: Context, refusal: Submitted): void {
  refusals.set(ctx, refusal);
}

/** Names of fields that must never be shown, in any form. */
const SECRET = /passw|passphrase|secret|token|cvc|cvv|card.?number|\bpin\b|\botp\b/i;

/** Values of a form that its page may show again. */
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
        `submits has the invalid name "${name}"; a name starts with a letter and contains letters, digits, _ . and -`,
      );
    if (typeof definition?.run !== "function")
      throw new SvcError(
        "SVC_DEFINITION",
        `submits.${name} is not a submit; create it with submit(…) from "svckit/fullstack"`,
      );
  }
  return submits;
}
