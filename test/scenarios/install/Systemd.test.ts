/** The Debian package on a machine with systemd: installed, started, killed, stopped and removed, as an operator sees it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { until } from "../../support/Program.ts"
import { boot, isUp, unavailable } from "./Container.ts"
import { must } from "./Release.ts"

const packageFile = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-package-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.map((folder) => must(process.execPath, ["scripts/debian.mjs", folder, "--fast"]).trim()))

const AS_COMMANDS_DO = ["--pipe", "--wait", "--quiet", "-p", "User=switchyard"]
const SETTINGS = ["-p", "EnvironmentFile=/etc/switchyard/switchyard.env", "-E", "DATA_DIR=/var/lib/switchyard"]

describe.skipIf(unavailable !== undefined)(
  `the service${unavailable === undefined ? "" : ` (skipped: ${unavailable})`}`,
  () => {
    it.live(
      "starts with its database, comes back when it is killed, lets commands work beside it, and goes with its package",
      () =>
        Effect.gen(function* () {
          const file = yield* packageFile
          const container = yield* boot
          yield* until(isUp(container))
          copyFileSync(file, container.at("var/tmp/switchyard.deb"))
          const sh = (text: string) => container.must("sh", ["-c", text])
          const answers = Effect.sync(
            () => container.run("curl", ["-sf", "http://127.0.0.1:5000/api/health/live"]).status === 0
          )
          const mainPid = () => sh("systemctl show -p MainPID --value switchyard").trim()

          sh("dpkg --install --force-depends /var/tmp/switchyard.deb")
          assert.strictEqual(sh("systemctl is-enabled switchyard").trim(), "enabled")
          assert.strictEqual(container.run("systemctl", ["is-active", "switchyard"]).stdout.trim(), "inactive")
          sh("echo ZTP_HTTP_PORT=80 >> /etc/switchyard/switchyard.env")
          sh("systemctl start switchyard")
          yield* until(answers)
          const first = mainPid()
          const status = sh(`cat /proc/${first}/status`)
          assert.notMatch(status, /^Uid:\t0\t/m)
          // that of port 80 alone
          assert.match(status, /^CapEff:\t0000000000000400$/m)
          assert.match(status, /^NoNewPrivs:\t1$/m)

          sh(`kill -9 ${first}`)
          yield* until(Effect.map(answers, (does) => does && mainPid() !== first))

          const words = ["switchyard", "user", "add", "admin", "--role", "administrator"]
          const added = container.run("systemd-run", [...AS_COMMANDS_DO, ...SETTINGS, ...words])
          assert.strictEqual(added.status, 0, added.said)
          assert.include(added.said, "admin")

          sh("systemctl stop switchyard")
          assert.strictEqual(sh("systemctl show -p Result --value switchyard").trim(), "success")
          assert.strictEqual(sh("pgrep -u switchyard | wc -l").trim(), "0", "nothing of it runs")

          sh("systemctl start switchyard")
          yield* until(answers)
          sh("dpkg --remove switchyard")
          assert.strictEqual(sh("pgrep -u switchyard | wc -l").trim(), "0", "it ended before its files went")
          sh("dpkg --purge switchyard && test ! -e /var/lib/switchyard")
        }).pipe(Effect.scoped)
    )
  }
)
