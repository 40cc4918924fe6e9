/** `toast`: its type, and its behavior on the server, where it throws. src/web/client/actions/toast.ts implements it in the browser. */
import { SvcError } from "../../platform/shared/errors.ts";

export interface ToastOptions {
  /** Kind of message, shown by color and icon. Default `"info"`. */
  tone?: "info" | "good" | "warn" | "bad";
  /** Whether screen readers announce it immediately, interrupting other speech. Default: true for `bad`. */
  isUrgent?: boolean;
  /** Label of its button. Default: no button. */
  action?: string;
  /** Called when the button is clicked; the toast closes then. */
  onAction?: () => void;
  /**
   * Time until it disappears: `"8s"`, `"800ms"` or milliseconds. The time stops while the pointer or focus is on the toast, and while the
   * page is hidden. 0: until it is closed. Default `"6s"`, with an action `"12s"`.
   */
  timeout?: number | `${number}s` | `${number}ms`;
}

/**
 * Shows a message in the page's `<Toasts>`. For browser code. @returns a function that closes it.
 * @throws SvcError `SVC_DEFINITION` on the server: use `<Toasts flash={…}>` there.
 * @example
 * <button onClick={() => void toast("Saved", { tone: "good", timeout: "5s" })}>Save</button>
 */
export function toast(_message: string, _options: ToastOptions = {}): () => void {
  throw new SvcError(
    "SVC_DEFINITION",
    "toast() was called on the server. Call it in a browser handler; use <Toasts flash={message}> for messages of the server.",
  );
}
