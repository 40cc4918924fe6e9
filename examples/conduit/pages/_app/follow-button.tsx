/** Button that follows or unfollows an author. */
import { Form } from "svckit/fullstack";
import { follow } from "../_submits.ts";
import type { User } from "./store.ts";

export function FollowButton(props: { username: string; visitor: User | undefined }) {
  const isFollowed = props.visitor?.follows.has(props.username) === true;
  return (
    <Form submit={follow} class="inline">
      <input type="hidden" name="username" value={props.username} />
      <button class={{ small: true, on: isFollowed }}>
        {isFollowed ? "Unfollow" : "Follow"} {props.username}
      </button>
    </Form>
  );
}
