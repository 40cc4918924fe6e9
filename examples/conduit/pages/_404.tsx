import type { ErrorProps } from "svckit/fullstack";

export const head = { title: "Not found" };

export default function Missing({ message }: ErrorProps) {
  return (
    <div class="narrow">
      <h1>Not found</h1>
      <p>{message}</p>
      <p>
        <a href="/">Go to the front page</a>
      </p>
    </div>
  );
}
