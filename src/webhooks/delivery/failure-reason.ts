/** Describes why an attempt failed, in the few words that operators read. Pure. Never includes an address or text of the receiver. */
import { errors } from "undici";
import { SvcError } from "../../platform/shared/errors.ts";
import { ConnectionClosedError, MAX_HEAD_BYTES, MAX_RECEIVED_BYTES, OversizedResponseError } from "./connection.ts";

/** undici gives one code to several failures. Their messages distinguish them and contain no address. */
const SOCKET_FAILURES: Readonly<Record<string, string>> = {
  "other side closed": "the receiver closed the connection",
  closed: "the receiver closed the connection",
  "bad upgrade": "the response switches protocols, which svc did not request",
  "bad response": "the receiver sent 100 Continue, which svc did not request",
};

/** Returns the messages of svc's own errors, and codes of the system: its messages hold addresses. */
export function failureReason(error: unknown): string {
  if (error instanceof SvcError) return error.message;
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return cause instanceof Error ? `connection failed: ${reasonOf(cause)}` : "connection failed";
}

function reasonOf(error: Error): string {
  if (error instanceof ConnectionClosedError) return error.message;
  if (error instanceof OversizedResponseError)
    return `the receiver sent more than ${MAX_RECEIVED_BYTES} bytes for one response`;
  if (error instanceof errors.HeadersOverflowError)
    return `the head or the trailers of the response are longer than ${MAX_HEAD_BYTES} bytes`;
  if (error instanceof errors.HTTPParserError) return `the response is not valid HTTP/1.1${detailOf(error)}`;
  if (error instanceof errors.ResponseContentLengthMismatchError)
    return "the body of the response does not match its Content-Length";
  const socketFailure = error instanceof errors.SocketError ? SOCKET_FAILURES[error.message] : undefined;
  return socketFailure ?? codeOf(error) ?? error.name;
}

/** The parser's reason, which undici puts at the end of the message in parentheses. */
function detailOf({ message }: Error): string {
  return / \([^()]*\)$/.exec(message)?.[0] ?? "";
}

function codeOf(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
