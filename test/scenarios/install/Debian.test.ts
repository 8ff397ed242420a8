/**
 * The Debian package, built with Debian's tools and installed into an empty system of its own below a folder: its files, its user, its
 * program as that user, what an upgrade keeps, what a removal leaves and what a purge takes. And the unit of systemd, by systemd's own judgement.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { documentation } from "../../../src/SettingsTable.ts"
import { killLeftover } from "../../support/PostgresProcesses.ts"
import { ask, background, has, must, root, run } from "./Release.ts"

const canInstall = process.getuid?.() === 0 && ["dpkg", "dpkg-deb", "setpriv", "useradd"].every(has)
const WITHOUT = "skipped: it needs root, dpkg, setpriv and useradd"

const unit = readFileSync(path.join(root, "deploy/systemd/switchyard.service"), "utf8")
const settings = readFileSync(path.join(root, "deploy/debian/switchyard.env"), "utf8")

/** The user of a DHCP server that was installed before. */
const KEA = "_kea:x:4705:4707::/var/lib/kea:/bin/false\n"

/** A folder that is taken for a whole system by dpkg, with nothing in it but lists of users. */
const emptySystem = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(path.join(tmpdir(), "switchyard-debian-"))
    chmodSync(folder, 0o755)
    const system = path.join(folder, "system")
    for (const name of ["etc", "var/lib/dpkg/info", "var/lib/dpkg/updates"]) {
      mkdirSync(path.join(system, name), { recursive: true })
    }
    const users = { passwd: `root:x:0:0::/root:/bin/sh\n${KEA}`, group: "root:x:0:\n", shadow: "", gshadow: "" }
    for (const [name, text] of Object.entries(users)) writeFileSync(path.join(system, "etc", name), text)
    writeFileSync(path.join(system, "var/lib/dpkg/status"), "")
    return { folder, system }
  }),
  ({ folder }) =>
    Effect.sync(() => {
      killLeftover(folder)
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    })
)

describe.skipIf(!canInstall)(`The Debian package${canInstall ? "" : ` (${WITHOUT})`}`, () => {
  it.live("is installed, runs as its user, is upgraded with its settings kept, removed, and purged", () =>
    Effect.gen(function* () {
      const { folder, system } = yield* emptySystem
      const at = (name: string) => path.join(system, name)
      const dpkg = (...words: ReadonlyArray<string>) =>
        must("dpkg", [`--root=${system}`, "--force-script-chrootless", "--force-depends", ...words], {
          env: { PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` }
        })
      const file = must(process.execPath, ["scripts/debian.mjs", folder]).trim()

      dpkg("--install", file)
      const [, user = "", group = ""] = /^switchyard:x:(\d+):(\d+):/m.exec(readFileSync(at("etc/passwd"), "utf8")) ?? []
      assert.notInclude(["", "0"], user)
      const config = statSync(at("etc/switchyard/switchyard.env"))
      assert.deepEqual([config.mode & 0o777, config.uid, config.gid], [0o640, 0, Number(group)])
      assert.strictEqual(statSync(at("etc/switchyard/secrets")).mode & 0o777, 0o700)
      assert.strictEqual(statSync(at("var/lib/switchyard")).uid, Number(user))
      for (const name of [
        "lib/systemd/system/switchyard.service",
        "lib/systemd/system/switchyard-backup.timer",
        "share/man/man1/switchyard.1.gz",
        "share/bash-completion/completions/switchyard",
        "share/zsh/vendor-completions/_switchyard",
        "share/fish/vendor_completions.d/switchyard.fish"
      ])
        assert.isTrue(existsSync(at(`usr/${name}`)), name)
      assert.strictEqual(statSync(at("var/backups/switchyard")).uid, Number(user))

      // as the unit starts it: with the settings of the package, as its user, with the right of port 80 alone, and without our Node
      const asUser = ["--reuid", user, "--regid", group, "--clear-groups", "--no-new-privs"]
      const port80 = ["--inh-caps=-all,+net_bind_service", "--ambient-caps=+net_bind_service"]
      const given = {
        cwd: at("var/lib/switchyard"),
        env: {
          ...Object.fromEntries(
            [...settings.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value])
          ),
          PATH: "/usr/bin:/bin",
          HOME: at("var/lib/switchyard"),
          DATA_DIR: at("var/lib/switchyard"),
          PORT: "0"
        }
      }
      const server = yield* background("setpriv", [...asUser, ...port80, at("usr/bin/switchyard"), "serve"], given)
      const url = yield* server.until(/Listening on (http:\/\/[\d.]+:\d+)/)
      assert.strictEqual((yield* ask(`${url}/api/health/live`)).status, 200)
      assert.include(readFileSync(`/proc/${server.child.pid}/status`, "utf8"), `Uid:\t${user}\t${user}`)
      // a caller without a token learns nothing
      assert.strictEqual((yield* ask(`${url}/api/v1.0/devices`)).status, 401)
      assert.notInclude(server.said(), "PostgreSQL: WARNING", "its own database has nothing to complain of")
      // while the server runs, as the manual says, by a user who does not even have that right
      const words = [at("usr/bin/switchyard"), "user", "add", "admin", "--role", "administrator"]
      const added = run("setpriv", [...asUser, "--inh-caps=-all", "--bounding-set=-all", ...words], given)
      assert.strictEqual(added.status, 0, added.said)
      const ended = new Promise((resolve) => server.child.once("exit", resolve))
      server.child.kill("SIGTERM")
      yield* Effect.promise(() => ended)

      // the hook of the DHCP server has its settings and a queue, and another one gets a queue when it is installed
      const hookSettings = statSync(at("etc/switchyard/dhcp-hook.env"))
      assert.deepEqual([hookSettings.mode & 0o777, hookSettings.uid, hookSettings.gid], [0o640, 0, 4707])
      const queue = at("var/lib/switchyard-dhcp/_kea")
      assert.deepEqual([statSync(queue).mode & 0o777, statSync(queue).uid], [0o700, 4705])
      const asKea = ["--reuid", "4705", "--regid", "4707", "--clear-groups", "--no-new-privs"]
      const lease = [at("usr/bin/switchyard"), "dhcp-hook", "commit", "00:1c:73:00:0d:01", "10.0.9.20", "eos"]
      const hook = run("setpriv", [...asKea, ...lease], {
        env: { PATH: "/usr/bin:/bin", SWITCHYARD_URL: "http://127.0.0.1:9", DATA_DIR: queue }
      })
      assert.strictEqual(hook.status, 10, hook.said)
      assert.isTrue(existsSync(path.join(queue, "dhcp-queue/sending/001C73000D01.json")), hook.said)
      appendFileSync(at("etc/passwd"), "dnsmasq:x:4710:65534::/:/bin/false\n")
      appendFileSync(at("etc/switchyard/dhcp-hook.env"), "SWITCHYARD_TOKEN=t\n")
      must(at("var/lib/dpkg/info/switchyard.postinst"), ["triggered", "/usr/sbin/dnsmasq"], {
        env: { PATH: "/usr/bin:/bin", DPKG_ROOT: system }
      })
      assert.strictEqual(statSync(at("var/lib/switchyard-dhcp/dnsmasq")).uid, 4710)

      appendFileSync(at("etc/switchyard/switchyard.env"), "PORT=5001\n")
      dpkg("--install", file)
      assert.include(readFileSync(at("etc/switchyard/switchyard.env"), "utf8"), "PORT=5001")
      assert.include(readFileSync(at("etc/switchyard/dhcp-hook.env"), "utf8"), "SWITCHYARD_TOKEN=t")

      dpkg("--remove", "switchyard")
      assert.isFalse(existsSync(at("usr/bin/switchyard")))
      assert.isTrue(existsSync(at("etc/switchyard/switchyard.env")))
      assert.isTrue(existsSync(at("var/lib/switchyard")))

      dpkg("--purge", "switchyard")
      for (const name of [
        "etc/switchyard",
        "var/lib/switchyard",
        "var/lib/switchyard-dhcp",
        "var/log/switchyard",
        "usr/lib/switchyard"
      ]) {
        assert.isFalse(existsSync(at(name)), name)
      }
      assert.isFalse(existsSync(at("var/backups/switchyard")), "there was no backup in it")
      for (const name of ["passwd", "group", "shadow", "gshadow"])
        assert.notInclude(readFileSync(at(`etc/${name}`), "utf8"), "switchyard", name)
    }).pipe(Effect.scoped)
  )
})

describe("The backup of systemd", () => {
  it.skipIf(!has("systemd-analyze"))("is accepted by systemd, which finds it little exposed", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "switchyard-unit-"))
    try {
      const [service, timer] = ["switchyard-backup.service", "switchyard-backup.timer"].map((name) => {
        const text = readFileSync(path.join(root, "deploy/systemd", name), "utf8")
        writeFileSync(path.join(folder, name), text.replaceAll("/usr/bin/switchyard", "/bin/true"))
        return path.join(folder, name)
      })
      const verified = run("systemd-analyze", ["verify", "--man=no", String(service), String(timer)])
      assert.notInclude(verified.said, "switchyard-backup", verified.said)
      const judged = run("systemd-analyze", ["security", "--offline=true", "--threshold=25", String(service)])
      assert.strictEqual(judged.status, 0, judged.said)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("The service of systemd", () => {
  const values = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value)

  it("is given known variables", () => {
    const known = new Set(documentation.map(([name]) => name))
    const given = [
      ...values("Environment").flatMap((line) => line.split(" ").map((one) => one.split("=")[0] ?? "")),
      ...[...settings.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = ""]) => name)
    ]
    assert.deepEqual(
      given.filter((name) => !known.has(name) && !["HOME", "NODE_COMPILE_CACHE"].includes(name)),
      []
    )
  })

  it.skipIf(!has("systemd-analyze"))("is accepted by systemd, which finds it little exposed", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "switchyard-unit-"))
    try {
      const file = path.join(folder, "switchyard.service")
      writeFileSync(file, unit.replace("/usr/bin/switchyard", "/bin/true"))
      const verified = run("systemd-analyze", ["verify", file])
      assert.strictEqual(verified.status, 0, verified.said)
      assert.notInclude(verified.said, "switchyard.service", verified.said)
      // in tenths: 0 is nothing, 100 is everything
      const judged = run("systemd-analyze", ["security", "--offline=true", "--threshold=25", file])
      assert.strictEqual(judged.status, 0, judged.said)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
