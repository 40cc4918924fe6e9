/** The stories in WebKitGTK. */
import { acts } from "./acts.ts";
import { play } from "./stage.ts";
import { lacksWebKit, launchWebKit } from "./webkit.ts";

play("WebKitGTK", lacksWebKit(), launchWebKit, acts);
