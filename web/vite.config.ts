import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const ENTRIES = { walk: folder("src/entries/walk.ts"), "try-it": folder("src/entries/try-it.tsx") };

/** Three bundles: the studio with all its pages, the walk alone (`--mode walk`), a single module that the
 * notebook widget loads and the offline file carries, and the cells of the manual (`--mode try-it`). Names have no hashes: the bundle
 * is kept with the source, and a check builds it again and compares. */
export default defineConfig(({ mode }) => ({
  root: folder("."),
  base: "./",
  oxc: { jsx: { importSource: "preact" } },
  build: {
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"], // light-dark() as it is written, not twice
    outDir: process.env.GRADWALK_STATIC ?? folder("../src/gradwalk/studio/static"),
    emptyOutDir: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    license: false,
    ...(mode === "walk" || mode === "try-it"
      ? {
          rolldownOptions: { output: { minify: true } }, // a library is else left readable
          lib: { entry: ENTRIES[mode], formats: ["es"], fileName: () => `${mode}.js`, cssFileName: mode },
        }
      : {
          rolldownOptions: {
            input: { studio: folder("studio.html"), "workshop-worker": folder("src/workshop/run/worker.ts") },
            output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" },
          },
        }),
  },
  test: { include: ["tests/**/*.test.{ts,tsx}"], environment: "node" },
}));
