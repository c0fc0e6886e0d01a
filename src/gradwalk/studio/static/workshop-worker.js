var e=import.meta.url,t=new URL(`pyodide/`,e),n=e=>postMessage(e),[r,i]=self.name===`cells`?[`values.zip`,`import gradwalk, json
from cell import run_cell`]:[`gradwalk.zip`,`import json
from gradwalk.workshop.inside import check_here`],a=`
import sys
sys.path.insert(0, "/gradwalk")
${i}

def judge(source, name, skip, started, judging):
    report = check_here(source, name, started=started, judging=judging, skip=tuple(skip))
    return json.dumps(report.as_json())

def run(code, before, write):
    return json.dumps(run_cell(code, tuple(before), write))
`;async function o(){let{loadPyodide:e}=await import(new URL(`pyodide.mjs`,t).href),[i,o]=await Promise.all([e({indexURL:t.href}),s(r)]);i.setStdout({batched:()=>{}}),i.setStderr({batched:()=>{}}),i.unpackArchive(o,`zip`,{extractDir:`/gradwalk`}),i.runPython(a);let[c,l]=[i.globals.get(`judge`),i.globals.get(`run`)],u=e=>n({kind:`program`,id:e}),d=()=>n({kind:`program`,id:null}),f=e=>n({kind:`printed`,text:e});return e=>`code`in e?{kind:`done`,error:JSON.parse(l(e.code,i.toPy(e.before),f))}:{kind:`report`,report:JSON.parse(c(e.source,e.name,i.toPy(e.skip),u,d))}}async function s(e){let n=await fetch(new URL(e,t));if(!n.ok)throw Error(`The site has no ${e}`);return n.arrayBuffer()}function c(e){return e instanceof Error?e.message:String(e)}o().then(e=>{onmessage=({data:t})=>{try{n(e(t))}catch(e){n({kind:`died`,message:c(e)})}},n({kind:`ready`})},e=>n({kind:`failed`,message:`Python could not be loaded: ${c(e)}. Reload the page.`}));