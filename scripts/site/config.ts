/** How VitePress builds the site. Copied beside the pages before it runs; `sidebar.json` is written there, too. */
import { readFileSync } from "node:fs";

const sidebar = JSON.parse(readFileSync(new URL("./sidebar.json", import.meta.url), "utf8"));

export default {
  title: "Restante",
  description: "One durable bus for coding agents",
  base: process.env.SITE_BASE ?? "/docs/",
  cleanUrls: true,
  lastUpdated: false,
  head: [["link", { rel: "icon", href: "data:," }]],
  // Words of the product stand in angle brackets nowhere; what looks like a tag is text.
  markdown: { html: true },
  vite: { logLevel: "warn", build: { chunkSizeWarningLimit: 4096 } },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Start", link: "/start/" },
      { text: "Concepts", link: "/concepts/" },
      { text: "Recipes", link: "/recipes/" },
      { text: "Operate", link: "/operations" },
      { text: "Reference", link: "/reference/commands/" },
    ],
    sidebar,
    outline: [2, 3],
  },
};
