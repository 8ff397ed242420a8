/**
 * The whole life of an installation by docs/installing.md, on a Debian without Node: the package, the first start, a managed switch of the lab, a
 * backup that is restored on another machine, an upgrade, and the refusals of a downgrade.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { blocksOf } from "../../../scripts/manual/Blocks.ts"
import { boot, unavailable } from "../../support/BootedSystem.ts"
import { FORGE } from "../manual/Hands.ts"
import { has, must } from "./Release.ts"

const without =
  unavailable ?? (process.arch !== "x64" || !has("apt") || !has("dpkg-deb") ? "it needs Debian on amd64" : undefined)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-blank-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const NEXT = "0.9.0"

/** The same program as a package of a later release. */
const nextRelease = (file: string, at: string): string => {
  const tree = path.join(at, "next")
  must("dpkg-deb", ["-R", file, tree])
  const program = path.join(tree, "usr/lib/switchyard")
  const change = (name: string, from: RegExp, to: string) =>
    writeFileSync(name, readFileSync(name, "utf8").replaceAll(from, to))
  change(path.join(tree, "DEBIAN/control"), /^Version: .*$/gm, `Version: ${NEXT}`)
  change(path.join(program, "package.json"), /"version": "[^"]+"/g, `"version": "${NEXT}"`)
  const made = path.join(at, "next.deb")
  must("dpkg-deb", ["--root-owner-group", "-Zzstd", "--build", tree, made])
  return made
}

/** A block of docs/installing.md. */
const block = (part: string): string =>
  blocksOf("docs/installing.md").find(({ text }) => text.includes(part))?.text ?? assert.fail(part)

const READY =
  "timeout 120 sh -c 'until curl -sf http://127.0.0.1:5000/api/health/ready > /dev/null; do sleep 0.2; done'"
const LIVE = READY.replace("ready", "live")
const LOGIN = `TOKEN=$(curl -s -X POST -u "admin:$PASSWORD" http://127.0.0.1:5000/api/v1.0/auth | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
ask() { curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "http://127.0.0.1:5000/api/v1.0$@"; }`
const SETTINGS = `grep -v -e GITREPO -e JWT -e DATA_DIR -e ^# /usr/lib/switchyard/examples/lab/campus.env | tr -d "'" >> "$1"`

/** A machine with the package and with repositories, as docs/installing.md makes one. */
const installed = Effect.fnUntraced(function* (file: string) {
  const system = yield* boot({ hidden: ["usr/bin/node", "usr/bin/npm", "usr/bin/npx"] })
  copyFileSync(file, system.at(`root/${path.basename(file)}`))
  const terminal = yield* system.terminal({ PATH: "/usr/sbin:/usr/bin:/sbin:/bin" })
  yield* terminal.run(
    `cat > /root/editor <<'END'\n#!/bin/sh\n${SETTINGS}\nEND\nchmod +x /root/editor; EDITOR=/root/editor`
  )
  yield* terminal.run(block("apt install"))
  yield* terminal.run(`${LIVE}\n${FORGE}`)
  return { system, terminal }
})

describe.skipIf(without !== undefined)(
  `An installation${without === undefined ? "" : ` (skipped: ${without})`}`,
  () => {
    it.live("from a blank Debian manages a switch, moves to another machine, is upgraded, and is not downgraded", () =>
      Effect.gen(function* () {
        const place = yield* folder
        const file = must(process.execPath, ["scripts/debian.mjs", place]).trim()
        const next = nextRelease(file, place)

        const { system, terminal } = yield* installed(file)
        yield* terminal.run("if command -v node; then false; fi")
        yield* terminal.run(block("switchyard setup --name admin"))
        const lab = yield* system.terminal({ PATH: "/usr/sbin:/usr/bin:/sbin:/bin" })
        yield* lab.start("switchyard lab /usr/lib/switchyard/examples/lab/campus.clab.yml", /2280/)
        yield* terminal.run(`${READY}\n${LOGIN}`)
        for (const n of [1, 2])
          yield* terminal.run(`ask /device -X POST -d '{"hostname": "lhv-dist${n}", "state": "MANAGED", "device_type": "DIST", "platform": "eos",
            "management_ip": "10.199.3.1${n}", "infra_ip": "10.198.0.1${n}", "model": "DCS-7050SX3-48YC8-F"}'`)
        yield* terminal.run(`ask /device_syncto -X POST -d '{"all": true, "dry_run": false, "force": true}'`)
        const inSync = `timeout 120 sh -c 'until curl -s -H "Authorization: Bearer '$TOKEN'" http://127.0.0.1:5000/api/v1.0/device/lhv-dist1 | grep -q "\\"synchronized\\": *true"; do sleep 0.5; done'`
        yield* terminal.run(inSync)

        yield* terminal.run("(umask 077 && echo 'a passphrase' > /etc/switchyard/backup.passphrase)")
        yield* terminal.run("systemctl start switchyard-backup")
        const backup = system.must("sh", ["-c", "ls /var/backups/switchyard/*.backup"]).trim()

        const other = yield* installed(file)
        copyFileSync(system.at(backup), other.system.at("root/moved.backup"))
        yield* other.terminal.run("systemctl stop switchyard; echo 'a passphrase' > /root/passphrase")
        // the settings of the first start are no part of a backup: the new machine has its own, here the same
        copyFileSync(system.at("var/lib/switchyard/switchyard.env"), other.system.at("root/site.env"))
        yield* other.terminal.run(
          "install -o switchyard -g switchyard -m 0600 /root/site.env /var/lib/switchyard/switchyard.env"
        )
        const restored = yield* other.terminal.run(
          "BACKUP_PASSPHRASE_FILE=/root/passphrase switchyard restore /root/moved.backup --replace --yes"
        )
        assert.include(restored, "Restored: the database is as it was")
        yield* other.terminal.run(`systemctl start switchyard\n${READY}\n${LOGIN}`)
        assert.match(yield* other.terminal.run("ask /device/lhv-dist1"), /"state": ?"MANAGED"/)

        copyFileSync(next, system.at("root/next.deb"))
        yield* terminal.run(`apt install /root/next.deb\n${READY}`)
        assert.include(yield* terminal.run("ask /system/version"), NEXT)
        assert.match(yield* terminal.run("ask /device/lhv-dist1"), /"state": ?"MANAGED"/)

        const refused = system.run("apt", ["install", "-y", `/root/${path.basename(file)}`])
        assert.notStrictEqual(refused.status, 0)
        assert.match(refused.said, /downgraded/i)
        yield* terminal.run("systemctl start switchyard-backup")
        const newest = system.must("sh", ["-c", "ls -t /var/backups/switchyard/*.backup | head -1"]).trim()
        copyFileSync(system.at(newest), other.system.at("root/newer.backup"))
        other.system.must("systemctl", ["stop", "switchyard"])
        const tooNew = other.system.run("sh", [
          "-c",
          "BACKUP_PASSPHRASE_FILE=/root/passphrase switchyard restore /root/newer.backup --replace --yes"
        ])
        assert.notStrictEqual(tooNew.status, 0)
        assert.include(tooNew.said, `is of release ${NEXT}`)
      }).pipe(Effect.scoped)
    )
  }
)
