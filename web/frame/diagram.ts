/**
 * Draws diagrams for the page, in a frame with an origin of its own: what an agent wrote is parsed here, where there is
 * nothing to steal, and only the picture's text goes back. The page shows it as an image, which runs nothing either.
 */
import mermaid from "mermaid";

interface Asked {
  id: number;
  source: string;
  dark: boolean;
}

/** What a browser takes for an image: well-formed, and with a size. */
function asImage(text: string): string {
  const place = document.createElement("template");
  place.innerHTML = text;
  const drawing = place.content.querySelector("svg")!;
  const { width, height } = drawing.viewBox.baseVal;
  drawing.setAttribute("width", String(Math.ceil(width)));
  drawing.setAttribute("height", String(Math.ceil(height)));
  return new XMLSerializer().serializeToString(drawing);
}

/** What a diagram's own settings cannot change. With labels of HTML it would try to load images while it is measured. */
const secure = [
  "secure",
  "securityLevel",
  "startOnLoad",
  "maxTextSize",
  "maxEdges",
  "suppressErrorRendering",
  "htmlLabels",
  "themeCSS",
  "fontFamily",
];

async function draw({ id, source, dark }: Asked): Promise<void> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    secure,
    htmlLabels: false,
    suppressErrorRendering: true,
    theme: dark ? "dark" : "neutral",
    fontFamily: "ui-sans-serif, system-ui, sans-serif",
    flowchart: { htmlLabels: false, useMaxWidth: false },
  });
  try {
    const { svg } = await mermaid.render(`d${id}`, source);
    parent.postMessage({ id, svg: asImage(svg) }, "*");
  } catch (error) {
    parent.postMessage({ id, problem: error instanceof Error ? error.message : String(error) }, "*");
  }
  document.body.replaceChildren(); // what it had begun to draw
}

/** One at a time: they share the document and the settings, and one that fails must not take another one with it. */
let drawing = Promise.resolve();

addEventListener("message", ({ data, source: asker }: MessageEvent<Asked>) => {
  if (asker !== parent || typeof data?.source !== "string") return;
  drawing = drawing.then(() => draw(data));
});
parent.postMessage({ ready: true }, "*");
