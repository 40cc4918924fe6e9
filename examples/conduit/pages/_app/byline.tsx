/** Author and date of an article or comment. */
import { href } from "svckit/fullstack";

const DATE = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" });

export function Byline(props: { author: string; createdMs: number }) {
  return (
    <div class="byline">
      <Initial username={props.author} />
      <div>
        <a href={href("/profile/[username]", { username: props.author })}>{props.author}</a>
        <time datetime={new Date(props.createdMs).toISOString()}>{DATE.format(props.createdMs)}</time>
      </div>
    </div>
  );
}

/** Placeholder for a picture. */
export function Initial(props: { username: string }) {
  return (
    <span class="initial" aria-hidden="true">
      {props.username.slice(0, 1).toUpperCase()}
    </span>
  );
}
