import type { ErrorProps } from "svckit/fullstack";

export const head = { title: "Something went wrong" };

export default function Failed({ status, message, requestId }: ErrorProps) {
  return (
    <div class="narrow" role="alert">
      <h1>{status === 403 ? "Access denied" : "Something went wrong"}</h1>
      <p>{message}</p>
      {status >= 500 && <p>Include this request id in a report: {requestId}</p>}
    </div>
  );
}
