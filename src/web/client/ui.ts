/**
 * `ui.js`: polyfills for popovers and dialogs, each active only where the browser lacks the feature: popover positions, button commands,
 * clicks outside of a dialog. Decision 046 lists the supported browsers.
 */

import "./ui/popover-position.ts";
import "./ui/modal.ts";
