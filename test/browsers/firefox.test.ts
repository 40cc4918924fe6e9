/** The stories in Firefox. */
import { acts } from "./acts.ts";
import { lacksFirefox, launchFirefox } from "./firefox.ts";
import { play } from "./stage.ts";

play("Firefox", lacksFirefox(), launchFirefox, acts);
