// Installs the dependencies when they are missing or older than the lock file. Runs on any Node from 20 on.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { createHash } from "node:crypto"
import path from "node:path"

const root = path.resolve(import.meta.dirname, "..")
const stamp = path.join(root, "node_modules", ".switchyard-installed")
const wanted = createHash("sha256")
  .update(readFileSync(path.join(root, "package.json")))
  .update(existsSync(path.join(root, "package-lock.json")) ? readFileSync(path.join(root, "package-lock.json")) : "")
  .digest("hex")
const isInstalled = () =>
  existsSync(path.join(root, "node_modules", ".bin", "node")) &&
  existsSync(stamp) &&
  readFileSync(stamp, "utf8") === wanted

if (!isInstalled()) {
  process.stderr.write("Installing dependencies (once, about half a minute) ...\n")
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", "--no-save"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32"
  })
  if (status !== 0) {
    process.stderr.write("npm install failed\n")
    process.exit(status ?? 1)
  }
  writeFileSync(stamp, wanted)
}
