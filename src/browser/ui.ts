/**
 * `ui.js`: popovers and dialogs for browsers that lack them (Safari before 17 and 15.4), with `ui.css`. A page that wants it names both;
 * where the platform has them it does nothing. WHATWG HTML sections 4.11.4 and 6.12, as far as pages notice: attributes, methods,
 * events, Escape, clicks outside, focus. What opens is not in the top layer but above everything by `z-index`.
 */
import { installDialogs } from "./ui/dialog.ts";
import { installPopovers } from "./ui/popover.ts";

installDialogs();
installPopovers();
