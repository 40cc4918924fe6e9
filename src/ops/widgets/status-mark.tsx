/** `<StatusMark>`: a status as shape and word in its color. */
import { STATUS_LOOKS, type FlowStatus } from "./status.ts";

export interface StatusMarkProps {
  status: FlowStatus;
  /** Replaces the status' own word, e.g. "retrying 2/5". */
  word?: string;
}

/**
 * Shape and word of a status. The widgets' stylesheet (`<FlowAssets>`) provides the color.
 * @example
 * <StatusMark status="running" />
 */
export function StatusMark({ status, word }: StatusMarkProps) {
  const look = STATUS_LOOKS[status];
  return (
    <span class="svc-status" data-status={status} data-tone={look.tone}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={look.shape} />
      </svg>
      <span class="svc-status-word">{word ?? look.word}</span>
    </span>
  );
}
