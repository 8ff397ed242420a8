/** The Debian package on a machine with systemd: installed, started, killed, stopped and removed, as an operator sees it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { boot, unavailable } from "../../support/BootedSystem.ts"
import { until } from "../../support/Program.ts"
import { must } from "./Release.ts"

const packageFile = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-package-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.map((folder) => must(process.execPath, ["scripts/debian.mjs", folder]).trim()))

const TO_A_FILE = "[Service]\\nStandardOutput=append:/var/log/switchyard/switchyard.log\\nStandardError=inherit\\n"

describe.skipIf(unavailable !== undefined)(
  `the service${unavailable === undefined ? "" : ` (skipped: ${unavailable})`}`,
  () => {
    it.live(
      "starts with its database, restarts after a kill, permits simultaneous commands, is backed up, and is removed with all that is its own",
      () =>
        Effect.gen(function* () {
          const file = yield* packageFile
          const container = yield* boot()
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
          // a secret that root alone can read, for the service and for its backup
          sh("umask 077; head -c 30 /dev/urandom | base64 > /etc/switchyard/secrets/SECRET_KEY")
          sh(
            "echo SECRET_KEY_FILE=/run/credentials/switchyard.service/secret_SECRET_KEY >> /etc/switchyard/switchyard.env"
          )
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

          // root types it anywhere: the command finds the service, and leaves nothing of root
          const typed = (words: string) => container.run("sh", ["-c", `cd / && switchyard ${words}`])
          const TOP =
            "At the database in /var/lib/switchyard (settings of /etc/switchyard/switchyard.env), as switchyard\n"
          const added = typed("user add admin --role administrator")
          assert.strictEqual(added.status, 0, added.said)
          assert.include(added.said, TOP)
          assert.include(JSON.parse(added.stdout), { name: "admin" })
          assert.include(typed("user list --json").stdout, '"admin"')
          assert.include(typed("doctor").said, "are valid (/etc/switchyard/switchyard.env)")
          const ofStranger = container.run("setpriv", [
            "--reuid=nobody",
            "--clear-groups",
            "switchyard",
            "user",
            "list"
          ])
          assert.include(ofStranger.said, "run the command with sudo, or join the group switchyard")
          const leavesNothing = () => {
            assert.strictEqual(sh("find /var/lib/switchyard /var/backups/switchyard ! -user switchyard").trim(), "")
            sh("test ! -e /data")
          }
          assert.include(sh("cd / && DATA_DIR=/var/lib/switchyard switchyard user list --json"), '"admin"')
          leavesNothing()

          const inJournal = (unit: string) => sh(`journalctl --output=cat --unit=${unit}`)
          const backups = () => sh("find /var/backups/switchyard -name '*.backup'").split("\n").filter(Boolean)
          // without a passphrase there is no backup, and the unit fails
          assert.notStrictEqual(container.run("systemctl", ["start", "switchyard-backup"]).status, 0)
          assert.deepEqual(backups(), [])
          sh("umask 077; echo 'a passphrase' > /etc/switchyard/backup.passphrase")
          sh("systemctl enable --now switchyard-backup.timer")
          assert.match(sh("systemctl list-timers --no-pager"), /switchyard-backup\.timer +switchyard-backup\.service/)
          sh("systemctl start switchyard-backup")
          const [made = ""] = backups()
          assert.match(inJournal("switchyard-backup"), /encrypted\n[^]*is whole, and this release can restore it/)
          assert.match(inJournal("switchyard-backup"), /SECRET_KEY \([\w-]+\) is not in it/)
          assert.strictEqual(sh(`stat -c '%U %a' ${made}`).trim(), "switchyard 600")
          // the passphrase as a credential that only this machine can read
          sh(
            "systemd-creds encrypt --name=passphrase /etc/switchyard/backup.passphrase /etc/switchyard/passphrase.cred"
          )
          sh("mkdir /etc/systemd/system/switchyard-backup.service.d && rm /etc/switchyard/backup.passphrase")
          const dropIn = "[Service]\\nLoadCredentialEncrypted=passphrase:/etc/switchyard/passphrase.cred\\n"
          sh(`printf '${dropIn}' > /etc/systemd/system/switchyard-backup.service.d/passphrase.conf`)
          sh(`touch -d '31 days ago' ${made}; systemctl daemon-reload; systemctl start switchyard-backup`)
          assert.lengthOf(backups(), 1, "there is a new one, and the one of last month is gone")
          assert.notInclude(backups(), made)

          // a log that is not the journal's is rotated while the server writes
          sh(
            `mkdir /etc/systemd/system/switchyard.service.d; printf '${TO_A_FILE}' > /etc/systemd/system/switchyard.service.d/log.conf`
          )
          sh("systemctl daemon-reload; systemctl restart switchyard")
          yield* until(answers)
          assert.notStrictEqual(sh("cat /var/log/switchyard/switchyard.log"), "")
          sh("logrotate --force /etc/logrotate.d/switchyard")
          assert.strictEqual(sh("cat /var/log/switchyard/switchyard.log"), "")
          assert.include(sh("cat /var/log/switchyard/switchyard.log.1"), "Listening on")

          sh("curl -s http://127.0.0.1:5000/api/v1.0/devices")
          yield* until(Effect.sync(() => sh("cat /var/log/switchyard/switchyard.log").includes("/api/v1.0/devices")))

          sh("systemctl stop switchyard")
          assert.strictEqual(sh("systemctl show -p Result --value switchyard").trim(), "success")
          assert.strictEqual(sh("pgrep -u switchyard | wc -l").trim(), "0", "nothing of it runs")

          // while it is stopped its copies of secrets are gone, and systemd has removed its folder
          sh("echo PASSWORD_MANAGED_FILE=/run/switchyard/managed >> /etc/switchyard/switchyard.env")
          for (const words of [
            "migrate",
            "backup /var/backups/switchyard/by-hand.tar",
            "restore /var/backups/switchyard/by-hand.tar --replace --yes",
            "secret list",
            "audit verify",
            "user list"
          ]) {
            const end = typed(words)
            assert.strictEqual(end.status, 0, `${words}: ${end.said}`)
            assert.include(end.said, TOP)
          }
          leavesNothing()
          assert.strictEqual(sh("pgrep -u switchyard | wc -l").trim(), "0", "no command leaves a database running")
          sh("sed -i /PASSWORD_MANAGED_FILE=/d /etc/switchyard/switchyard.env")

          sh("systemctl start switchyard")
          yield* until(answers)
          sh("dpkg --remove switchyard")
          assert.strictEqual(sh("pgrep -u switchyard | wc -l").trim(), "0", "it ended before its files went")
          const purged = sh("dpkg --purge switchyard 2>&1")
          assert.include(purged, "/var/backups/switchyard has backups, which stay")
          assert.strictEqual(sh("stat -c %U /var/backups/switchyard").trim(), "root")
          sh("! getent passwd switchyard && ! getent group switchyard")
          const OURS =
            "-path /proc -prune -o -path /sys -prune -o -path /var/backups -prune -o -name '*switchyard*' -print"
          const left = sh(
            `find /etc /usr/bin /usr/lib/systemd /usr/lib/switchyard /usr/share /var/lib /var/log /var/cache ${OURS} 2>/dev/null || true`
          )
          assert.deepEqual(
            left.split("\n").filter((file) => file !== "" && !file.startsWith("/etc/systemd/system/switchyard")),
            [],
            "only what the administrator wrote stays"
          )
        }).pipe(Effect.scoped)
    )
  }
)
