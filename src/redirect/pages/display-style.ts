import { BASE_STYLE } from '../../web/layout.ts';

/**
 * The style sheet of display pages. Buttons stick to the lower edge of a phone, within reach of the
 * thumb; on low or wide screens they follow the content.
 */
export const DISPLAY_STYLE = `${BASE_STYLE}
main{display:flex;flex-direction:column;gap:1.25rem;padding-bottom:0}
header{text-align:center}
dl{margin:0;background:var(--inset);border:1px solid var(--line);border-radius:1rem}
.row{padding:.75rem 1rem}
.row+.row{border-top:1px solid var(--line)}
dt{color:var(--muted);font-size:.8125rem;line-height:1.25rem;font-weight:500}
dd{margin:0;display:flex;justify-content:space-between;gap:.75rem}
.value{min-width:0;white-space:pre-wrap;overflow-wrap:anywhere;font-size:1.0625rem}
span.value{flex:1}
a.value{color:var(--on-tint);text-decoration-thickness:1px;text-underline-offset:.2em;
padding-block:.625rem;margin-block:-.625rem}
.copyable dt{padding-inline-end:3rem}
.copy{display:grid;place-items:center;flex:none;width:2.75rem;height:2.75rem;
margin:-1.25rem -.375rem 0 0;padding:0;border:1px solid transparent;border-radius:.75rem;
background:var(--tint);color:var(--on-tint);cursor:pointer}
.copy svg{width:1.25rem;height:1.25rem}
.copy.done{background:var(--accent);color:var(--on-accent)}
.done .icon-copy,.icon-check{display:none}
.done .icon-check{display:block}
.photo{display:block;width:7rem;height:7rem;margin:0 auto .875rem;border-radius:50%;object-fit:cover;
background:var(--inset)}
.links{display:flex;flex-direction:column;gap:.625rem;margin:0;padding:0;list-style:none}
.links .action{min-height:3.5rem;justify-content:flex-start;text-align:start}
.links small{display:block;font-weight:400;font-size:.875rem}
.amount .value{font-size:1.5rem;line-height:1.3;font-weight:700}
.map{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:1rem;
background:var(--inset)}
.map path{fill:#d22f27;stroke:#fff;stroke-width:2}
figure{margin:0;text-align:center}
.code{display:block;width:min(100%,15rem);height:auto;margin:0 auto;border-radius:.75rem;
background:#fff;fill:#000;stroke:none;border:1px solid var(--line);forced-color-adjust:none}
figcaption{margin-top:.5rem;color:var(--muted);font-size:.875rem}
.actions{display:flex;flex-wrap:wrap;gap:.625rem;margin-top:auto;padding:.5rem 0 1rem;
background:var(--surface)}
.action span{display:-webkit-box;overflow:hidden;-webkit-box-orient:vertical;-webkit-line-clamp:3}
.actions .action{flex-basis:auto}
.actions>:first-child{flex-basis:100%;min-height:3.5rem;background:var(--accent);color:var(--on-accent);
font-size:1.0625rem}
.status{position:fixed;z-index:2;top:1rem;left:1rem;right:1rem;width:fit-content;margin:0 auto;
border-radius:1.5rem;background:var(--text);color:var(--surface);font-weight:600;text-align:center}
.status:not(:empty){padding:.5rem 1.25rem;border:1px solid transparent}
footer{padding:0 1rem 1rem;color:var(--muted);font-size:.8125rem;text-align:center}
@media (hover:hover){.copy:hover{filter:brightness(.95)}}
.copy:active{filter:brightness(.9)}
@media (prefers-contrast:more){.copy{border-color:currentColor}}
@media (prefers-reduced-motion:no-preference){.copy{transition:filter .15s}}
@media (max-width:35.99rem) and (min-height:32rem){
html{scroll-padding-bottom:14rem}
.actions.few{position:sticky;z-index:1;bottom:0;box-shadow:0 -.75rem .75rem -.25rem var(--surface)}}
@media (min-width:36rem){
main{padding-bottom:1.5rem}
.actions{margin-top:0;padding-bottom:.5rem}
footer{padding:1rem 0 0}}`;
