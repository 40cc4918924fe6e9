/**
 * `ui.js`: what popovers and dialogs need in browsers that lack some of it, each only where it is lacking: the place of a popover beside its
 * button, commands of buttons, clicks beside a dialog. Which browsers are helped, and which no more: decision 046.
 */
import "./ui/popover-position.ts";
import "./ui/modal.ts";
