/** Of pages that many share: what gives each visitor's own theme to the page, before anything of it is painted. */
import { THEMES } from "../../../platform/shared/themes.ts";
import { COOKIES, DOM } from "../../../platform/shared/wire.ts";

/** Runs in the head, so it knows `<html>` and nothing else; the same rules as `schemeOf`. */
export const THEME_SCRIPT = `((e,t)=>{e.setAttribute("${DOM.theme}",t);e.style.colorScheme=/^[ld]/.test(t)?t:"light dark"})(document.documentElement,/(?:^|; )${COOKIES.theme}=(${THEMES.join("|")})(?:;|$)/.exec(document.cookie)?.[1]??"${THEMES[0]}")`;
