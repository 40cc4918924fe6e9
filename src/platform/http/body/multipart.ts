/** Rules that both multipart parsers share: the boundary of the body and the error for a malformed one (RFC 7578, RFC 2046). */
import type { BusboyHeaders } from "@fastify/busboy";
import { SvcError } from "../../shared/errors.ts";

/**
 * The parameter as busboy reads it: quoted, or up to the next separator. RFC 2046 section 5.1.1 allows 1 to 70 characters; busboy throws
 * above 254, and splits the body at every "--" for an empty one.
 */
const BOUNDARY = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i;
/** The characters of RFC 2046 section 5.1.1, and those that other clients send. None of them is a control character. */
const PRINTABLE = /^[\x20-\x7e]*[\x21-\x7e]$/;
const PARAMETER = /;\s*boundary=/gi;

/** The headers for busboy. @throws SvcError `SVC_INVALID` for a missing, repeated or invalid boundary */
export function multipartHeaders(contentType: string): BusboyHeaders {
  const match = BOUNDARY.exec(contentType);
  const boundary = match?.[1] ?? match?.[2] ?? "";
  if ((contentType.match(PARAMETER) ?? []).length !== 1 || !PRINTABLE.test(boundary))
    throw malformed("its content type needs one boundary of 1 to 70 printable ASCII characters");
  return { "content-type": contentType };
}

/** @param problem continues "The multipart body is malformed:" */
export function malformed(problem: string, cause?: unknown): SvcError {
  return new SvcError("SVC_INVALID", `The multipart body is malformed: ${problem}`, { cause });
}
