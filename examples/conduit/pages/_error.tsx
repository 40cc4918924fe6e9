import type { ErrorProps } from "svckit/fullstack";

export const head = { title: "That went wrong" };

export default function Failed({ status, message, requestId }: ErrorProps) {
  return (
    <div class="narrow" role="alert">
      <h1>{status === 403 ? "Not yours" : "That went wrong"}</h1>
      <p>{message}</p>
      {status >= 500 && <p>Whoever you tell needs this: {requestId}</p>}
    </div>
  );
}
