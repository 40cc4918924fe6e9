/** Styles of the webhook demo, light and dark; all text has AA contrast or better. */
export const DEMO_STYLE = `
:root{color-scheme:light dark;--ground:#f7f7f5;--panel:#fff;--ink:#1c1d1f;--quiet:#5a5d63;--line:#dcdcd7;--accent:#1f5fbf;--on-accent:#fff;--good:#17693a;--bad:#a3231f}
@media (prefers-color-scheme:dark){:root{--ground:#141517;--panel:#1c1e21;--ink:#e9e9e6;--quiet:#a4a8af;--line:#34373c;--accent:#86b4ff;--on-accent:#10131a;--good:#6fd197;--bad:#ff9d96}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:.25rem 0 1rem;letter-spacing:-.01em}
h2{font-size:1.15rem;margin:0 0 .5rem}
h3{font-size:.9rem;margin:1.25rem 0 .4rem;color:var(--quiet)}
a{color:var(--accent)}
code,pre,td,time{font-variant-numeric:tabular-nums}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86em}
.lede{max-width:40rem}
.quiet{color:var(--quiet);font-size:.9rem;margin:.25rem 0}
form{display:flex;flex-wrap:wrap;gap:1rem;align-items:center;margin:1.25rem 0}
button{font:inherit;font-weight:600;color:var(--on-accent);background:var(--accent);border:0;border-radius:6px;padding:.6rem 1.1rem;cursor:pointer}
select{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--quiet);border-radius:6px;padding:.5rem .6rem}
button:hover{filter:brightness(1.08)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
article,.note{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:1.1rem 1.25rem;margin:1.25rem 0}
.verdict{font-weight:600;margin:.25rem 0}
.good{color:var(--good)}
.bad{color:var(--bad)}
pre,.scroll{overflow-x:auto;margin:0;border:1px solid var(--line);border-radius:6px;background:var(--ground)}
pre{padding:.8rem 1rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.4rem .8rem;border-top:1px solid var(--line);font-weight:400}
th,td time,.number{white-space:nowrap}
td{overflow-wrap:anywhere;min-width:8rem}
td.number,td:has(>time){min-width:0}
tr:first-child>*{border-top:0}
th{color:var(--quiet)}
@media (width<40rem){.pairs :is(tbody,tr,th,td){display:block}.pairs tr+tr{border-top:1px solid var(--line)}.pairs :is(th,td){border-top:0;white-space:normal}.pairs th{padding-bottom:0}.pairs td{padding-top:0}}
`;
