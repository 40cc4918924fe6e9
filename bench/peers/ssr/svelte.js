/** bench:ssr in Svelte. */
import { render } from "svelte/server";
import Spiral from "./Spiral.svelte";
import Users from "./Users.svelte";

export const spiral = (tiles) => render(Spiral, { props: { tiles } }).body;
export const table = (users) => render(Users, { props: { users } }).body;
