/** `<StatusMark>`: a status as shape and word, in its colour. */
import { STATUS_LOOKS, type FlowStatus } from "./status.ts";

export interface StatusMarkProps {
  status: FlowStatus;
  /** What stands in place of the status' own word, e.g. "retrying 2/5". */
  word?: string;
}

/** Shape and word of a status. In the page the stylesheet of the widgets gives it its colour (`<FlowStyles>`). */
export function StatusMark({ status, word }: StatusMarkProps) {
  const opsContext = STATUS_LOOKS[status];
  return (
    <span class="svc-status" data-status={status} data-tone={opsContext.tone}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={opsContext.shape} />
      </svg>
      <span class="svc-status-word">{word ?? opsContext.word}</span>
    </span>
  );
}
