var e=import.meta.url,t=new URL(`pyodide/`,e),n=e=>postMessage(e),r=`
import json, sys
sys.path.insert(0, "/gradwalk")
from gradwalk.workshop.inside import check_here

def judge(source, name, skip, started, judging):
    report = check_here(source, name, started=started, judging=judging, skip=tuple(skip))
    return json.dumps(report.as_json())
`;async function i(){let{loadPyodide:e}=await import(new URL(`pyodide.mjs`,t).href),[i,o]=await Promise.all([e({indexURL:t.href}),a(`gradwalk.zip`)]);i.setStdout({batched:()=>{}}),i.setStderr({batched:()=>{}}),i.unpackArchive(o,`zip`,{extractDir:`/gradwalk`}),i.runPython(r);let s=i.globals.get(`judge`),c=e=>n({kind:`program`,id:e}),l=()=>n({kind:`program`,id:null});return({source:e,name:t,skip:n})=>JSON.parse(s(e,t,i.toPy(n),c,l))}async function a(e){let n=await fetch(new URL(e,t));if(!n.ok)throw Error(`The site has no ${e}`);return n.arrayBuffer()}function o(e){return e instanceof Error?e.message:String(e)}i().then(e=>{onmessage=({data:t})=>{try{n({kind:`report`,report:e(t)})}catch(e){n({kind:`died`,message:o(e)})}},n({kind:`ready`})},e=>n({kind:`failed`,message:`Python could not be loaded: ${o(e)}. Reload the page.`}));