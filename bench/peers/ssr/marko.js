/** bench:ssr in Marko 6. */
import Spiral from "./spiral.marko";
import Users from "./users.marko";

export const spiral = (tiles) => Spiral.render({ tiles }).toString();
export const table = (users) => Users.render({ users }).toString();
