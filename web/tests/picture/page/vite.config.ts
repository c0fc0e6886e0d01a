import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** The picture alone, where `PICTURE_PAGE` says. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  oxc: { jsx: { importSource: "preact" } },
  build: { target: "es2022", outDir: process.env.PICTURE_PAGE ?? "dist", emptyOutDir: true },
});
