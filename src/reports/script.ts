/** Interval at which an open report is renewed, in seconds. */
const EVERY_SECONDS = 30;
/** Interval at which browsers without scripts load the page again, in seconds. */
export const RELOAD_SECONDS = 60;

/**
 * Script of the page: replaces its content by the present one, and keeps opened tables and the
 * focus. A report that can no longer be opened is loaded again, which shows why.
 */
export const REFRESH_SCRIPT = `(()=>{
const parts=(main)=>[...main.querySelectorAll('summary,a')];
async function refresh(){
if(document.hidden)return;
const answer=await fetch(location.pathname,{cache:'no-store'});
if([403,404,410].includes(answer.status))return location.reload();
if(!answer.ok)return;
const next=new DOMParser().parseFromString(await answer.text(),'text/html').querySelector('main');
const main=document.querySelector('main');
if(next===null)return;
const tables=next.querySelectorAll('details');
main.querySelectorAll('details').forEach((table,at)=>{if(tables[at])tables[at].open=table.open});
const focused=parts(main).indexOf(document.activeElement);
main.replaceWith(next);
parts(next)[focused]?.focus({preventScroll:true});
}
setInterval(()=>refresh().catch(()=>{}),${EVERY_SECONDS}e3);
})()`;
