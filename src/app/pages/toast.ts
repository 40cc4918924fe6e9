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
   * How long it stays in milliseconds, not counting while it is pointed at, has the focus, or nobody looks at the page; 0 until it is
   * closed. Default: 6,000, with an action 12,000.
   */
  timeoutMs?: number;
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
