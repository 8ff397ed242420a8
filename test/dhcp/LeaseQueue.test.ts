/** The queue of the DHCP hook on disk, with the real shells: storms, a server that is away, killed processes, full disks, hostile clients. */
import { assert, it } from "@effect/vitest"
import { Console, Effect, Schedule } from "effect"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { leaseProgram, makeFolder, runProgram, shells, waiting, WITHOUT_SHELLS } from "./HookProgram.ts"
import { decided, makeLeaseServer, TAKEN } from "./LeaseServer.ts"

const macOf = (number: number): string => `001C73${number.toString(16).toUpperCase().padStart(6, "0")}`
const ipOf = (number: number): string =>
  `10.${Math.floor(number / 60_000)}.${Math.floor(number / 250) % 240}.${number % 250}`

/** Asks again until it is so. */
const until = (isSo: () => boolean | Promise<boolean>) =>
  Effect.promise(async () => isSo()).pipe(Effect.repeat({ until: (so) => so, schedule: Schedule.spaced("20 millis") }))

const read = (file: string) => Effect.promise(() => fs.readFile(file, "utf8").catch(() => ""))

const nothingWaits = (folder: string) =>
  waiting(folder).pipe(Effect.repeat({ until: (names) => names.length === 0, schedule: Schedule.spaced("20 millis") }))

/** A hook in the background of this shell, with its log in the data directory. */
const makeSite = Effect.fnUntraced(function* (shell: ReadonlyArray<string>, url: string) {
  const folder = yield* makeFolder
  const log = path.join(folder, "log")
  const environment = { SWITCHYARD_URL: url, DATA_DIR: folder, SWITCHYARD_HOOK_LOG: log }
  const queue = path.join(folder, "dhcp-queue")
  yield* Effect.promise(() => fs.mkdir(path.join(queue, "sending"), { recursive: true }))
  yield* Effect.promise(() => fs.mkdir(path.join(queue, "waiting"), { recursive: true }))
  return {
    folder,
    queue,
    environment,
    log: read(log),
    /** Waits until the log says this. */
    says: (sentence: string) =>
      read(log).pipe(
        Effect.repeat({ until: (text) => text.includes(sentence), schedule: Schedule.spaced("20 millis") })
      ),
    lease: (mac: string, ip: string, platform = "eos") =>
      runProgram([...shell, leaseProgram, mac, ip, platform], environment),
    drain: runProgram([...shell, leaseProgram, "--drain"], environment),
    place: (name: string, text: string, ageSeconds = 0) =>
      Effect.promise(async () => {
        const file = path.join(queue, name)
        await fs.writeFile(file, text)
        const at = Date.now() / 1000 - ageSeconds
        if (ageSeconds > 0) await fs.utimes(file, at, at)
      })
  }
})

const kept = (mac: string, ip: string, report = "r") =>
  `{"mac":"${mac}","ip":"${ip}","platform":"eos","report":"${report}","again":false}\n`

/** Runs a program; true when it ended well. */
const works = (program: string, ...args: ReadonlyArray<string>): boolean => {
  try {
    execFileSync(program, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

it.skipIf(shells.length === 0)(`is tried in the shells of this machine${WITHOUT_SHELLS}`, () => {
  assert.isNotEmpty(shells)
})

for (const shell of shells) {
  const named = shell.join(" ")

  it.live(`reports every lease of a storm once (${named})`, () =>
    Effect.gen(function* () {
      const server = yield* makeLeaseServer()
      const site = yield* makeSite(shell, server.url)
      const storm = `n=0; while [ $n -lt 1000 ]; do n=$((n + 1)); mac=$(printf '001C73%06X' $n)
        ${shell.join(" ")} ${leaseProgram} "$mac" "10.0.$((n / 250)).$((n % 250))" eos &
        [ $((n % 100)) -ne 0 ] || wait; done; wait`
      const end = yield* runProgram(["sh", "-c", storm], site.environment)
      assert.strictEqual(end.code, 0, end.output)
      yield* nothingWaits(site.folder)
      const expected = Array.from({ length: 1000 }, (_, index) => `${macOf(index + 1)} ${ipOf(index + 1)}`)
      assert.deepStrictEqual(
        server.seen.map(({ dhcp_ip, ztp_mac }) => `${ztp_mac} ${dhcp_ip}`).toSorted(),
        expected.toSorted()
      )
      assert.strictEqual(new Set(server.seen.map(({ report }) => report)).size, 1000)
    }).pipe(Effect.scoped)
  )

  it.live(`keeps leases while the server is away, and then reports the newest of each switch (${named})`, () =>
    Effect.gen(function* () {
      const server = yield* makeLeaseServer()
      const site = yield* makeSite(shell, server.url)
      yield* server.stop
      // three renewals of forty switches, the last with another address
      for (const round of [0, 0, 1]) {
        yield* Effect.forEach(
          Array.from({ length: 40 }, (_, index) => index + 1),
          (number) => site.lease(macOf(number), ipOf(number + round * 1000)),
          { concurrency: 8 }
        )
      }
      assert.strictEqual(
        (yield* waiting(site.folder)).filter((name, index, all) => all.indexOf(name) === index).length,
        40
      )
      // an attempt that began before the last lease came may still report what it knew: the next one has taken all of them
      yield* until(async () => (await fs.readdir(site.queue)).every((name) => !name.endsWith(".json")))
      yield* server.start
      yield* nothingWaits(site.folder)
      assert.deepStrictEqual(
        server.seen.map(({ again, dhcp_ip, ztp_mac }) => `${ztp_mac} ${dhcp_ip} ${again}`).toSorted(),
        Array.from({ length: 40 }, (_, index) => `${macOf(index + 1)} ${ipOf(index + 1001)} true`).toSorted()
      )
      assert.strictEqual(Math.max(...server.seen.map((report) => report.waiting)), 39, "it says how many wait")
      yield* site.says("The server takes leases again")
      assert.match(yield* site.log, /Leases wait in \S+: http:\S+ does not answer/)
    }).pipe(Effect.scoped)
  )

  it.live(`is not stopped by a killed process, and a second one waits for the first (${named})`, () =>
    Effect.gen(function* () {
      let release = () => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      const server = yield* makeLeaseServer(async ({ ztp_mac }) => {
        if (ztp_mac === macOf(1)) await held
        return TAKEN
      })
      const site = yield* makeSite(shell, server.url)
      for (const number of [1, 2, 3]) yield* site.place(`${macOf(number)}.json`, kept(macOf(number), ipOf(number)))
      const first = spawn(shell[0] ?? "sh", [...shell.slice(1), leaseProgram, "--drain"], {
        env: { PATH: process.env["PATH"], SWITCHYARD_ENV_FILE: "", ...site.environment },
        stdio: "ignore"
      })
      yield* until(() => server.seen.length === 1)
      yield* site.drain
      assert.strictEqual(server.seen.length, 1, "the second process reports nothing that the first one reports")
      first.kill("SIGKILL")
      release()
      // the calls that the killed process has begun end first
      yield* Effect.repeat(site.drain, {
        until: () => Effect.map(waiting(site.folder), (names) => names.length === 0),
        schedule: Schedule.spaced("50 millis")
      })
      const reported = new Set(server.seen.map(({ report, ztp_mac }) => `${ztp_mac} ${report}`))
      assert.strictEqual(reported.size, 3, "a repetition has the name of its lease")
    }).pipe(Effect.scoped)
  )

  it.live(`takes over what a killed hook wrote, and drops halves with a word (${named})`, () =>
    Effect.gen(function* () {
      const server = yield* makeLeaseServer()
      const site = yield* makeSite(shell, server.url)
      const lease = (last: number, ip: string) => kept(`AAAAAAAAAAA${last}`, ip)
      yield* site.place("AAAAAAAAAAA1.json.999999", lease(1, "10.0.0.1"), 120)
      yield* site.place("AAAAAAAAAAA2.json.999999", lease(2, "10.0.0.2"))
      yield* site.place("AAAAAAAAAAA3.json.999999", lease(3, "10.0.0.3"), 120)
      yield* site.place("AAAAAAAAAAA3.json", lease(3, "10.0.0.33"), 5)
      yield* site.place("AAAAAAAAAAA5.json", '{"mac":"AAAAAAAAAAA5","ip":"10.0.')
      yield* site.place("AAAAAAAAAAA6.json.999999", '{"mac":"AAAAAA', 120)
      yield* site.place("AAAAAAAAAAA7.json", lease(8, "10.0.0.7"))
      // of an earlier release
      yield* site.place("AAAAAAAAAAA9.json", '{"mac":"AAAAAAAAAAA9","ip":"10.0.0.9","platform":"eos"}', 200)
      yield* site.place("waiting/AAAAAAAAAAAC.json", kept("AAAAAAAAAAAC", "10.0.0.12"), 200_000)
      const end = yield* site.drain
      assert.strictEqual(end.code, 0, end.output)
      assert.deepStrictEqual(server.seen.map(({ dhcp_ip }) => dhcp_ip).toSorted(), [
        "10.0.0.1",
        "10.0.0.33",
        "10.0.0.9"
      ])
      assert.deepStrictEqual((yield* Effect.promise(() => fs.readdir(site.queue))).toSorted(), [
        "AAAAAAAAAAA2.json.999999",
        "lock",
        "sending",
        "waiting"
      ])
      assert.match(end.output, /AAAAAAAAAAA5.json is damaged and was dropped: \{"mac":"AAAAAAAAAAA5","ip":"10\.0\.\n/)
      assert.match(end.output, /AAAAAAAAAAA6.json.999999 was not written to its end and was dropped/)
      assert.match(end.output, /AAAAAAAAAAA7.json is damaged/)
      assert.match(end.output, /AAAAAAAAAAAC.json waited for a day/)
    }).pipe(Effect.scoped)
  )

  it.live(`reports a lease at once that cannot be kept, and says so (${named})`, () =>
    Effect.gen(function* () {
      const server = yield* makeLeaseServer()
      const site = yield* makeSite(shell, server.url)
      const full = path.join(site.folder, "full")
      yield* Effect.promise(() => fs.mkdir(full))
      const mounted = process.getuid?.() === 0 && works("mount", "-t", "tmpfs", "-o", "size=4k", "none", full)
      if (!mounted) {
        yield* Console.log(
          "No full disk: this machine mounts none for a test. A file stands where the queue should be."
        )
        yield* Effect.promise(() => fs.writeFile(path.join(full, "dhcp-queue"), ""))
      } else {
        yield* Effect.addFinalizer(() => Effect.sync(() => works("umount", full)))
        yield* Effect.promise(() => fs.mkdir(path.join(full, "dhcp-queue/sending"), { recursive: true }))
        yield* Effect.promise(() => fs.mkdir(path.join(full, "dhcp-queue/waiting"), { recursive: true }))
        yield* Effect.promise(() => fs.writeFile(path.join(full, "filler"), "x".repeat(4096)))
      }
      const lease = (number: number, url: string) =>
        runProgram([...shell, leaseProgram, macOf(number), ipOf(number), "eos"], {
          ...site.environment,
          SWITCHYARD_URL: url,
          DATA_DIR: full
        })
      assert.strictEqual((yield* lease(1, server.url)).code, 0)
      yield* until(() => server.seen.length === 1)
      assert.strictEqual(server.seen[0]?.ztp_mac, macOf(1))
      yield* lease(2, "http://127.0.0.1:9")
      yield* site.says("is lost until")
      const log = yield* site.log
      assert.match(
        log,
        mounted ? /could not be kept in \S+: the disk is full/ : /could not be kept in \S+: \S+ cannot make/
      )
      assert.include(log, `The lease of ${macOf(2)} at ${ipOf(2)} (eos) is lost until its renewal`)
      assert.deepStrictEqual(yield* waiting(full), [])
    }).pipe(Effect.scoped)
  )

  it.live(`asks again later for a lease that the server has no room for, and never for an older one (${named})`, () =>
    Effect.gen(function* () {
      let outcome = "waits"
      const server = yield* makeLeaseServer(() => decided(outcome, "create", 'no "room", yet'))
      const site = yield* makeSite(shell, server.url)
      yield* site.place(`${macOf(1)}.json`, kept(macOf(1), "10.0.0.1", "first"))
      const end = yield* site.drain
      assert.include(end.output, `The lease of ${macOf(1)} waits: no`)
      yield* site.drain
      yield* site.drain
      assert.strictEqual(server.seen.length, 2, "within a minute it is asked about once more only")
      yield* site.place(`${macOf(1)}.json`, kept(macOf(1), "10.0.0.2", "second"))
      outcome = "taken"
      yield* site.drain
      yield* Effect.promise(() => fs.rm(path.join(site.queue, "waiting/tried"), { force: true }))
      yield* site.drain
      assert.deepStrictEqual(
        server.seen.map(({ report }) => report),
        ["first", "first", "second"]
      )
      assert.deepStrictEqual(yield* waiting(site.folder), [])
    }).pipe(Effect.scoped)
  )

  it.live(`runs nothing that a client or a file says (${named})`, () =>
    Effect.gen(function* () {
      const server = yield* makeLeaseServer()
      const site = yield* makeSite(shell, server.url)
      const trap = path.join(site.folder, "trap")
      const evil = `$(touch ${trap})\`touch ${trap}\`'"; touch ${trap} #\n{"mac":"001C73000009"}`
      const settings = path.join(site.folder, "dhcp-hook.env")
      yield* Effect.promise(() =>
        fs.writeFile(
          settings,
          `# a comment\nPATH=/nowhere\nSWITCHYARD_URL='${server.url}'\nSWITCHYARD_TOKEN=$(touch,${trap})\nnonsense\nDATA_DIR="${site.folder}"`
        )
      )
      const pools = path.join(site.folder, "platform-of")
      yield* Effect.promise(() => fs.copyFile(path.join(path.dirname(leaseProgram), "platform-of"), pools))
      const environment = {
        SWITCHYARD_ENV_FILE: settings,
        SWITCHYARD_PLATFORM_OF: pools,
        SWITCHYARD_HOOK_LOG: path.join(site.folder, "log"),
        DNSMASQ_VENDOR_CLASS: evil,
        DNSMASQ_SUPPLIED_HOSTNAME: evil,
        LEASES4_SIZE: "2",
        LEASES4_AT0_ADDRESS: "10.0.9.20",
        LEASES4_AT0_HWADDR: "00:1c:73:00:00:02",
        LEASES4_AT0_HOSTNAME: evil,
        LEASES4_AT1_ADDRESS: "10.0.9.21",
        LEASES4_AT1_HWADDR: evil
      }
      const adapter = (name: string) => path.join(path.dirname(leaseProgram), name)
      yield* runProgram(
        [...shell, adapter("dnsmasq-lease"), "add", "00:1c:73:00:00:01", "10.0.9.19", evil],
        environment
      )
      yield* runProgram([...shell, adapter("kea-lease"), "leases4_committed"], environment)
      for (const words of [
        [evil, "10.0.0.1", "eos"],
        ["00:1c:73:00:00:03", evil, "eos"],
        ["00:1c:73:00:00:03", "10.0.0.1", evil]
      ]) {
        yield* runProgram([...shell, leaseProgram, ...words], environment)
      }
      yield* site.place("001C73000004.json", `{"mac":"001C73000004","ip":"10.0.0.4","platform":"$(touch ${trap})"}\n`)
      yield* site.place("001C73000005.json", `{"mac":"001C73000005","ip":"10.0.0.5","platform":"eos","report":"\\"}\n`)
      yield* runProgram([...shell, leaseProgram, "--drain"], environment)
      yield* nothingWaits(site.folder)
      assert.deepStrictEqual(server.seen.map(({ dhcp_ip, ztp_mac }) => `${ztp_mac} ${dhcp_ip}`).toSorted(), [
        "001C73000001 10.0.9.19",
        "001C73000002 10.0.9.20",
        "001C73000005 10.0.0.5"
      ])
      assert.isFalse(
        yield* Effect.promise(() =>
          fs.access(trap).then(
            () => true,
            () => false
          )
        )
      )
      assert.isTrue(
        server.lines.every((line) => line.endsWith(`Bearer $(touch,${trap})`)),
        server.lines.join("\n")
      )
      for (const line of (yield* site.log).trim().split("\n")) assert.match(line, /^\d{4}-\S+ switchyard-lease: |^$/)
    }).pipe(Effect.scoped)
  )
}

it.live("writes to the journal unless a file is named", () =>
  Effect.gen(function* () {
    const folder = yield* makeFolder
    // what `logger` is told
    yield* Effect.promise(() =>
      fs.writeFile(path.join(folder, "logger"), `#!/bin/sh\necho "$@: $(cat)" >>${folder}/journal\n`, { mode: 0o755 })
    )
    const PATH = `${folder}:${process.env["PATH"]}`
    yield* runProgram([leaseProgram, "no-mac", "10.0.0.1", "eos"], { PATH, DATA_DIR: folder })
    const journal = yield* read(path.join(folder, "journal"))
    assert.match(journal, /^-t switchyard-lease -p daemon\.err: Usage: .*no-mac 10\.0\.0\.1 eos\n$/)
  }).pipe(Effect.scoped)
)
