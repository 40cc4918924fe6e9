/**
 * `ui.js`: polyfills for popovers and dialogs: popover positions, and only where the browser lacks the feature, button commands and clicks
 * outside of a dialog. Decision 046 lists the supported browsers.
 */

import "./ui/popover-position.ts";
import "./ui/modal.ts";
