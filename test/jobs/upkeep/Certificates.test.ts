/** Certificates of devices and bringing a switch back to its factory default, through the API of a whole server. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import * as fs from "node:fs/promises"
import type { Reply } from "../../support/ApiClient.ts"
import { makeOperationsLab, NAMES } from "./OperationsLab.ts"

const [HOST, PEER] = NAMES

const refused = ({ body, status }: Reply) => ({ status, message: body.message })

interface Told {
  readonly failed: boolean
  readonly job_tasks: ReadonlyArray<{ readonly task_name: string; readonly result: unknown; readonly failed: boolean }>
}

const told = (job: { readonly result: unknown }, hostname: string): Told | undefined =>
  (job.result as { readonly devices?: Record<string, Told> } | null)?.devices?.[hostname]

it.live(
  "creates an authority once and gives a device a key and a certificate that it has signed",
  () =>
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
    }).pipe(Effect.scoped),
  60_000
)

it.live(
  "erases a switch before its row is deleted, and keeps the row of one that does not answer",
  () =>
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
      assert.isUndefined(first.startup())
      const history = yield* api.send("GET", "/device_synchistory?hostname=lhv-dist1")
      assert.include(JSON.stringify(history.body.data), '"cause":"neighbor_deleted"')
      assert.isFalse((yield* find("lhv-dist1"))?.["synchronized"])
    }).pipe(Effect.scoped),
  60_000
)
