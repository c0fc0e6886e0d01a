/** Take the walk with you: a link, an offline file, a picture. */

import { useState } from "preact/hooks";
import { exportPng, exportSvg } from "../picture";
import { bundle, canBundle, offlineFile, save } from "./offline";
import { toFragment } from "./share";
import type { Walk } from "./state";

interface Props {
  walk: Walk;
  /** A link to a notebook's page would not open the walk. */
  links: boolean;
  picture: () => SVGSVGElement | null;
}

export function ShareMenu({ walk, links, picture }: Props) {
  const [said, say] = useState("");
  const [open, setOpen] = useState(false);
  const attempt = (action: () => Promise<string>) => () => {
    action().then(say, (error: unknown) => say(`That did not work: ${messageOf(error)}`));
  };
  const drawn = () => {
    const svg = picture();
    if (!svg) throw new Error("the picture is not drawn yet");
    return svg;
  };
  return (
    <div class="share" role="group" aria-label="Share">
      <button type="button" class="button share-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        Share
      </button>
      <div class={`share-items ${open ? "open" : ""}`}>
        {links && (
          <button type="button" class="button" onClick={attempt(() => copyLink(walk))}>
            Copy link
          </button>
        )}
        {canBundle() && (
          <button type="button" class="button" onClick={attempt(() => saveOffline(walk))}>
            Offline file
          </button>
        )}
        <button type="button" class="button" onClick={attempt(() => saveSvg(walk, drawn()))}>
          SVG
        </button>
        <button type="button" class="button" onClick={attempt(() => savePng(walk, drawn()))}>
          PNG
        </button>
      </div>
      <span class="note share-said" role="status">
        {said}
      </span>
    </div>
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const LONG = 30_000;

async function copyLink(walk: Walk): Promise<string> {
  const fragment = await toFragment(walk.shared());
  try {
    await navigator.clipboard.writeText(location.href.split("#")[0] + fragment);
  } catch {
    history.replaceState(history.state, "", fragment);
    return "This browser keeps its clipboard shut. The link is in the address bar.";
  }
  if (fragment.length < LONG) return "Copied.";
  const size = Math.ceil(fragment.length / 1000);
  return `Copied. It has ${size} kB: where links are cut, send the offline file.`;
}

async function saveOffline(walk: Walk): Promise<string> {
  const html = await offlineFile(await bundle(), walk.document.value, walk.state());
  save(`${fileName(walk)}.html`, html, "text/html");
  return `Saved, ${Math.ceil(html.length / 1000)} kB.`;
}

async function saveSvg(walk: Walk, picture: SVGSVGElement): Promise<string> {
  save(`${fileName(walk)}.svg`, exportSvg(picture), "image/svg+xml");
  return "Saved.";
}

async function savePng(walk: Walk, picture: SVGSVGElement): Promise<string> {
  save(`${fileName(walk)}.png`, await exportPng(picture), "image/png");
  return "Saved.";
}

function fileName(walk: Walk): string {
  const name = walk.document.value.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return name || "walk";
}
