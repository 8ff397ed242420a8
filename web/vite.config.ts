/** The build of the page: below `/ui/`, every file named by its content, nothing inlined into the page. */
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

export default defineConfig({
  root: import.meta.dirname,
  base: "/ui/",
  plugins: [react()],
  build: {
    outDir: "build",
    // the first load is bounded as a whole: docs/page.md
    chunkSizeWarningLimit: 700,
    emptyOutDir: true,
    target: "es2023",
    // a data address would need a permission of its own in the page's policy
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false
  },
  server: { proxy: { "/api": process.env["SWITCHYARD_URL"] ?? "http://127.0.0.1:5000" } }
})
