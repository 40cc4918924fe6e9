/** `toast`, which handlers call in the browser: see src/web/client/actions/toast.ts for what it does there. */
import { SvcError } from "../../platform/shared/errors.ts";

export interface ToastOptions {
  /** What it is about, as colour and sign. Default: `info`. */
  tone?: "info" | "good" | "warn" | "bad";
  /** Screen readers tell of it at once, and not when they have finished what they read. Default: for `bad`. */
  isUrgent?: boolean;
  /** What its button says, and what that does; the toast goes then. */
  action?: string;
  onAction?: () => void;
  /**
   * Time until it disappears: `"8s"`, `"800ms"` or milliseconds. The time stops while the toast is pointed at or focused, and while the page is
   * hidden. 0: it stays until it is closed. Default: `"6s"`, with an action `"12s"`.
   */
  timeout?: number | `${number}s` | `${number}ms`;
}

/**
 * Shows a message in the page's `<Toasts>`. For browser code. @returns takes it away.
 * @throws SvcError `SVC_DEFINITION` on the server: what it has to say is `<Toasts flash={…}>`.
 */
export function toast(_message: string, _options: ToastOptions = {}): () => void {
  throw new SvcError(
    "SVC_DEFINITION",
    "toast() was called on the server. Call it in a handler; what the server has to say is <Toasts flash={message}>.",
  );
}
