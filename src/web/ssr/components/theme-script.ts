/** Inline script for pages that caches share: applies the visitor's theme before the browser paints the page. */
import { THEMES } from "../../../platform/shared/themes.ts";
import { COOKIES, DOM } from "../../../platform/shared/wire.ts";

/** Runs in the head, where only `<html>` exists. Follows the same rules as `schemeOf`. */
export const THEME_SCRIPT = `((e,t)=>{e.setAttribute("${DOM.theme}",t);e.style.colorScheme=/^[ld]/.test(t)?t:"light dark"})(document.documentElement,/(?:^|; )${COOKIES.theme}=(${THEMES.join("|")})(?:;|$)/.exec(document.cookie)?.[1]??"${THEMES[0]}")`;
