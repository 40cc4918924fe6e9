/** Development only: reports `event.preventDefault()` in a handler that runs after the dispatch of its event, because its code had to load. */
import type { DispatchedEvent } from "../runtime/types.ts";

/** Makes the event report a call that browsers ignore. The compiler finds calls in the handler's own file (SVC125), but not others. */
export function reportLatePrevention(event: DispatchedEvent): void {
  if (!(event instanceof Event) || event.eventPhase || !event.cancelable || event.defaultPrevented) return;
  Object.defineProperty(event, "preventDefault", {
    configurable: true,
    value: () =>
      reportError(
        new Error(
          `SVC302: preventDefault() of this ${event.type} event came too late, because the handler's code had to load first. Add the option preventDefault to the handler of the element: { preventDefault: (event) => …, handler: … }.`,
        ),
      ),
  });
}
