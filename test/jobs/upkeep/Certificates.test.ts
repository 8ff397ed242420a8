/** Certificates of devices and bringing a switch back to its factory default, through the API of a whole server. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { Reply } from "../../support/ApiClient.ts"
import { makeOperationsLab, makeQuirkyLab, NAMES } from "./OperationsLab.ts"

const [HOST, PEER] = NAMES

const refused = ({ body, status }: Reply) => ({ status, message: body.message })

interface Told {
  readonly failed: boolean
  readonly job_tasks: ReadonlyArray<{ readonly task_name: string; readonly result: unknown; readonly failed: boolean }>
}

const told = (job: { readonly result: unknown }, hostname: string): Told | undefined =>
  (job.result as { readonly devices?: Record<string, Told> } | null)?.devices?.[hostname]

it.live("creates an authority once and gives a device a key and a certificate that it has signed", () =>
  Effect.gen(function* () {
    const { api, first, folder } = yield* makeOperationsLab
    const authority = (method: string, body?: unknown) => api.send(method, "/certificate_authority", body)
    assert.strictEqual((yield* authority("GET")).status, 404)

    const refusals: ReadonlyArray<readonly [unknown, string]> = [
      [{ hostname: HOST }, "Required field 'action' was not specified"],
      [{ action: "RENEW", hostname: "-x" }, "Hostname '-x' is not a valid hostname"],
      [{ action: "RENEW", hostname: "nobody" }, "Hostname 'nobody' not found or is not a managed device"],
      [{ action: "RENEW", group: "NONE" }, "Could not find a group with name NONE"],
      [{ action: "RENEW" }, "No devices were specified"],
      [{ action: "burn", hostname: HOST }, "Unknown action specified: BURN"]
    ]
    for (const [body, message] of refusals) {
      assert.deepEqual(refused(yield* api.send("POST", "/device_cert", body)), { status: 400, message })
    }

    const early = yield* api.run("/device_cert", { action: "RENEW", hostname: HOST })
    assert.strictEqual(early.status, "FINISHED", JSON.stringify(early))
    assert.include(
      String(told(early, HOST)?.job_tasks[0]?.result),
      `Could not generate certificate for device ${HOST}: Specified cafile is not a file`
    )

    assert.strictEqual((yield* authority("POST", { common_name: "" })).status, 400)
    const created = yield* authority("POST", { common_name: "Lab CA" })
    assert.strictEqual(created.status, 200, JSON.stringify(created.body))
    assert.strictEqual((yield* authority("POST", {})).status, 409)
    const shown = (yield* authority("GET")).body.data["certificate_authority"] as Record<string, string>
    assert.strictEqual(shown["subject"], "CN=Lab CA")
    const ca = new X509Certificate(shown["certificate"] ?? "")
    assert.isTrue(ca.ca && ca.verify(ca.publicKey))

    const renewal = yield* api.send("POST", "/device_cert", { action: "renew", hostname: HOST, group: "NONE" })
    assert.strictEqual(renewal.headers.get("x-total-count"), "1")
    assert.deepEqual<unknown>(renewal.body.data, "Scheduled job to renew certificates")
    const renewed = yield* api.ended(renewal.body.job_id ?? 0)
    assert.deepEqual(
      told(renewed, HOST)?.job_tasks.map(({ result, task_name }) => [task_name, result]),
      [
        ["renew_cert_task", `Certificate renew success for device ${HOST}`],
        ["arista_copy_cert", "Cert copy successful"]
      ]
    )
    const installed = new X509Certificate(first.certificates().get("cnaasnms.crt") ?? "")
    const key = createPrivateKey(first.keys().get("cnaasnms.key") ?? "")
    assert.strictEqual(installed.subject, `CN=${HOST}`)
    assert.strictEqual(installed.subjectAltName, "IP Address:10.196.16.10")
    assert.isTrue(installed.verify(ca.publicKey))
    assert.isTrue(installed.checkPrivateKey(key))
    assert.isFalse(first.files().has("cnaasnms.key"), "the key does not stay on the flash")
    const kept = yield* Effect.promise(() => fs.stat(`${folder}/devicecerts/${HOST}.key`))
    assert.strictEqual(kept.mode & 0o777, 0o600)
    assert.notInclude(JSON.stringify(renewed), "PRIVATE KEY")

    yield* Effect.promise(() => fs.writeFile(`${folder}/ca/rootCA.crt`, "no certificate"))
    assert.strictEqual((yield* authority("GET")).status, 500)
    yield* Effect.promise(() => fs.writeFile(`${folder}/ca/rootCA.crt`, shown["certificate"] ?? ""))
    first.setFault({ kind: "fullFlash" })
    const full = yield* api.run("/device_cert", { action: "RENEW", hostname: HOST })
    assert.isTrue(told(full, HOST)?.failed)
    assert.include(String(told(full, HOST)?.job_tasks[1]?.result), `Unable to copy cert file to device: ${HOST}`)
  }).pipe(Effect.scoped)
)

it.live("erases a switch before its row is deleted, and keeps the row of one that does not answer", () =>
  Effect.gen(function* () {
    const { api, first, second } = yield* makeOperationsLab
    const find = Effect.fnUntraced(function* (hostname: string) {
      const [device] = yield* api.devices(`filter[hostname]=${hostname}`)
      return device
    })
    const erase = Effect.fnUntraced(function* (hostname: string) {
      const path = `/device/${(yield* find(hostname))?.["id"]}`
      const reply = yield* api.send("DELETE", path, { factory_default: true })
      return yield* api.ended(reply.body.job_id ?? 0)
    })

    const dist = yield* erase("lhv-dist1")
    assert.strictEqual(dist.exception?.message, "Can only do factory default on access")

    yield* second.powerOff
    const silent = yield* erase(PEER)
    assert.isTrue(told(silent, PEER)?.failed)
    assert.isDefined(yield* find(PEER), "a switch that was not erased keeps its row")

    const done = yield* erase(HOST)
    assert.deepEqual(
      told(done, HOST)?.job_tasks.map(({ failed, result, task_name }) => [task_name, result, failed]),
      [
        ["device_erase_task", "Device factory defaulted", false],
        ["Enable", null, false],
        ["Write rase", null, false],
        ["Remove device certificate", null, false],
        ["Remove device key", null, false],
        ["netmiko_send_command", null, false]
      ]
    )
    assert.isUndefined(yield* find(HOST))
    // it boots on its own, and may already have been provisioned again
    assert.notInclude(first.startup() ?? "", `hostname ${HOST}`)
    const history = yield* api.send("GET", "/device_synchistory?hostname=lhv-dist1")
    assert.include(JSON.stringify(history.body.data), '"cause":"neighbor_deleted"')
    assert.isFalse((yield* find("lhv-dist1"))?.["synchronized"])
  }).pipe(Effect.scoped)
)

interface Listed {
  readonly serial: string
  readonly hostname: string
  readonly not_after: string
  readonly revoked_at: string | null
  readonly reason: string | null
}

const DAY = 86_400_000

/** The output and the exit code of the tool; undefined if the machine does not have it. */
const openssl = (...args: ReadonlyArray<string>) => {
  const { error, status, stderr, stdout } = spawnSync("openssl", args, { encoding: "utf8" })
  return error === undefined ? { status, text: `${stdout}${stderr}` } : undefined
}

it.live("lists the certificates of a year, and publishes revocations, by hand and with the device", () =>
  Effect.gen(function* () {
    const { api, folder, url } = yield* makeOperationsLab
    const crl = Effect.promise(async () => {
      const answer = await fetch(`${url}/api/v1.0/certificate_authority/crl`)
      return { status: answer.status, type: answer.headers.get("content-type"), der: await answer.bytes() }
    })
    const listed = (query = "") =>
      Effect.map(
        api.send("GET", `/certificates${query}`),
        ({ body }) => body.data["certificates"] as ReadonlyArray<Listed>
      )
    const revoke = (serial: string, body: object) => api.send("POST", `/certificate/${serial}/revoke`, body)
    assert.strictEqual((yield* crl).status, 404)
    assert.strictEqual((yield* api.send("POST", "/certificate_authority", {})).status, 200)
    for (const hostname of NAMES) yield* api.run("/device_cert", { action: "RENEW", hostname })

    const [mine] = yield* listed(`?hostname=${HOST}`)
    const [other] = yield* listed(`?hostname=${PEER}`)
    assert.isDefined(mine)
    assert.isDefined(other)
    const file = path.join(folder, "devicecerts", `${HOST}.crt`)
    const made = new X509Certificate(yield* Effect.promise(() => fs.readFile(file)))
    assert.strictEqual(made.serialNumber.toLowerCase(), mine.serial)
    const days = (Date.parse(mine.not_after) - Date.now()) / DAY
    assert.isTrue(days > 364 && days <= 365, mine.not_after)

    const first = yield* crl
    assert.deepEqual([first.status, first.type], [200, "application/pkix-crl"])
    assert.notInclude(Buffer.from(first.der).toString("hex"), mine.serial)
    assert.deepEqual(Buffer.from((yield* crl).der), Buffer.from(first.der), "everybody gets the same list")

    assert.deepEqual(refused(yield* revoke("00", {})), {
      status: 404,
      message: "No certificate with serial number 00 was issued here"
    })
    assert.strictEqual((yield* revoke(mine.serial, { reason: "because" })).status, 400)
    const revoked = (yield* revoke(mine.serial, { reason: "keyCompromise" })).body.data["certificate"] as Listed
    assert.deepInclude(revoked, { serial: mine.serial, reason: "keyCompromise" })
    assert.strictEqual((yield* revoke(mine.serial, {})).status, 409)
    const [peer] = yield* api.devices(`filter[hostname]=${PEER}`)
    assert.strictEqual((yield* api.send("DELETE", `/device/${String(peer?.["id"])}`)).status, 200)
    assert.deepEqual(
      (yield* listed()).map(({ hostname, reason, revoked_at }) => [hostname, reason, revoked_at !== null]).toSorted(),
      [
        [HOST, "keyCompromise", true],
        [PEER, "cessationOfOperation", true]
      ]
    )

    const list = path.join(folder, "list.crl")
    const authority = path.join(folder, "ca/rootCA.crt")
    const { der } = yield* crl
    yield* Effect.promise(() => fs.writeFile(list, der))
    for (const { serial } of [mine, other]) assert.include(Buffer.from(der).toString("hex"), serial)
    const read = openssl("crl", "-inform", "DER", "-in", list, "-CAfile", authority, "-text", "-noout")
    if (read === undefined) return
    assert.include(read.text, "verify OK")
    assert.include(read.text.toLowerCase(), mine.serial)
    assert.match(read.text, /Key Compromise/)
    assert.match(read.text, /Cessation Of Operation/)
    openssl("crl", "-inform", "DER", "-in", list, "-out", `${list}.pem`)
    const checked = openssl("verify", "-crl_check", "-CAfile", authority, "-CRLfile", `${list}.pem`, file)
    assert.include(checked?.text ?? "", "certificate revoked")
  }).pipe(Effect.scoped)
)

it.live("renews expiring certificates automatically, and no others", () =>
  Effect.gen(function* () {
    const soon = { CERTIFICATE_DAYS: "20", CERTIFICATE_RENEW_DAYS: "30", CERTIFICATE_RENEW_INTERVAL: "1" }
    const { api, first, second } = yield* makeQuirkyLab({}, soon)
    assert.strictEqual((yield* api.send("POST", "/certificate_authority", {})).status, 200)
    yield* api.run("/device_cert", { action: "RENEW", hostname: HOST })
    const serials = Effect.map(
      api.send("GET", "/certificates"),
      ({ body }) => body.data["certificates"] as ReadonlyArray<Listed>
    )
    while ((yield* serials).length < 2) yield* Effect.sleep("100 millis")
    assert.isTrue((yield* serials).every(({ hostname }) => hostname === HOST))
    while (first.certificates().size === 0) yield* Effect.sleep("50 millis")
    assert.strictEqual(second.certificates().size, 0)
  }).pipe(Effect.scoped)
)
