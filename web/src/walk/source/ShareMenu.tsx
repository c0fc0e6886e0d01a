/** Sharing a walk: a link, an offline file, a picture. */

import { useRef, useState } from "preact/hooks";
import { exportPng, exportSvg } from "../../picture";
import { save } from "../../ui/files";
import { messageOf } from "../../ui/messages";
import { bundle, canBundle, offlineFile } from "./offline";
import { toFragment } from "../state/share";
import type { Walk } from "../state/state";
import { Button } from "../../ui/Button";
import { Floating } from "../../ui/Floating";

interface Props {
  walk: Walk;
  /** Offer a link. In a notebook, a link would not open the walk. */
  links: boolean;
  picture: () => SVGSVGElement | null;
}

export function ShareMenu({ walk, links, picture }: Props) {
  const [said, say] = useState("");
  const items = useRef<HTMLDivElement>(null);
  const attempt = (action: () => Promise<string>) => () => {
    items.current?.hidePopover();
    action().then(say, (error: unknown) => say(`Failed: ${messageOf(error)}`));
  };
  const drawn = () => {
    const svg = picture();
    if (!svg) throw new Error("the picture is not drawn yet");
    return svg;
  };
  return (
    <div class="share" role="group" aria-label="Share">
      <Floating words="Share" box={items} look="share-items">
        {links && <Button onClick={attempt(() => copyLink(walk))}>Copy link</Button>}
        {canBundle() && (
          <Button onClick={attempt(() => saveOffline(walk))}>
            Save offline file
          </Button>
        )}
        <Button onClick={attempt(() => saveSvg(walk, drawn()))}>
          Save SVG
        </Button>
        <Button onClick={attempt(() => savePng(walk, drawn()))}>
          Save PNG
        </Button>
      </Floating>
      <span class="note share-said" role="status">
        {said}
      </span>
    </div>
  );
}

const LONG = 30_000;

async function copyLink(walk: Walk): Promise<string> {
  const fragment = await toFragment(walk.shared());
  try {
    await navigator.clipboard.writeText(location.href.split("#")[0] + fragment);
  } catch {
    history.replaceState(history.state, "", fragment);
    return "Could not copy to the clipboard. The link is in the address bar.";
  }
  if (fragment.length < LONG) return "Link copied.";
  const size = Math.ceil(fragment.length / 1000);
  return `Link copied. The link is ${size} kB long. If an app cuts it off, send the offline file.`;
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
  const name = walk.document.value.title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  return name || "walk";
}
