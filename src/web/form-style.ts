import { BASE_STYLE } from './layout.ts';

/** The style sheet of pages with a form or a single button. */
export const FORM_STYLE = `${BASE_STYLE}
main{display:flex;flex-direction:column;gap:1.25rem}
header{text-align:center}
header p{margin-top:.375rem;color:var(--muted);white-space:pre-wrap;text-wrap:pretty}
.picture{display:block;max-width:100%;max-height:16rem;height:auto;margin:0 auto;border-radius:1rem}
form{display:flex;flex-direction:column;gap:1rem}
.field{display:flex;flex-direction:column;gap:.375rem}
label{font-weight:600}
.aside{color:var(--muted);font-weight:400}
input,select,textarea{width:100%;min-height:3rem;padding:.625rem .875rem;border:1px solid var(--edge);
border-radius:.75rem;background:var(--inset);color:var(--text);font:inherit}
::placeholder{color:var(--muted);opacity:1}
select{padding-inline-end:2.5rem;appearance:none;background-repeat:no-repeat;background-size:.375rem .375rem;
background-image:linear-gradient(45deg,#0000 50%,var(--muted) 50%),linear-gradient(-45deg,#0000 50%,var(--muted) 50%);
background-position:right 1.25rem center,right .875rem center;text-overflow:ellipsis}
textarea{min-height:7rem;resize:vertical}
.tick{flex-direction:row;flex-wrap:wrap;align-items:center;gap:0 .75rem}
.tick input{width:1.5rem;min-height:1.5rem;margin:0;accent-color:var(--accent)}
.tick label{flex:1;padding:.625rem 0;font-weight:400}
[aria-invalid=true]{border-color:var(--bad)}
.fault{flex-basis:100%;color:var(--bad);font-size:.875rem}
.alert{padding:.75rem 1rem;border-radius:.75rem;background:var(--bad-tint);color:var(--bad);font-weight:600;
text-align:center}
.buttons{display:flex;flex-direction:column;gap:.625rem}
.action{flex:none;width:100%}
.action span{overflow-wrap:anywhere}
.waits{position:relative;visibility:hidden;animation:come 0s linear forwards}
@keyframes come{to{visibility:visible}}
.clock{height:3.5rem;margin-bottom:-4.125rem;border-radius:.875rem;background:var(--tint);overflow:hidden}
.clock::after{content:"";display:block;height:100%;background:var(--accent);opacity:.35;transform-origin:0 50%;
animation:fill 1s linear forwards}
@keyframes fill{from{transform:scaleX(0)}}
dl{margin:0;background:var(--inset);border:1px solid var(--line);border-radius:1rem}
dl div{padding:.75rem 1rem}
dl div+div{border-top:1px solid var(--line)}
dt{color:var(--muted);font-size:.8125rem;font-weight:500}
dd{margin:0;word-break:break-all}
.note{color:var(--muted);font-size:.875rem;text-align:center}`;

/** Adds an animation as long as the wait. @param seconds a whole number */
export const waitingStyle = (seconds: number): string => `${FORM_STYLE}
.waits{animation-delay:${seconds}s}
.clock::after{animation-duration:${seconds}s}`;
