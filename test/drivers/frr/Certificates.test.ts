/** Keys and certificates of real routers, as files (docs/frr.md#certificates): through the job, and at the driver. */
import { assert, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, References, Schema } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { CertificateAuthority } from "../../../src/certificates/CertificateAuthority.ts"
import * as Certificates from "../../../src/certificates/Certificates.ts"
import { DeviceResult, type Job } from "../../../src/domain/Job.ts"
import type { DriverTarget } from "../../../src/drivers/Driver.ts"
import { renderError } from "../../../src/drivers/DriverErrors.ts"
import type { KeyPair } from "../../../src/drivers/Verbs.ts"
import * as Engine from "../../../src/Engine.ts"
import * as Fabric from "../../../src/fabric/Fabric.ts"
import { addressOf, LOGIN, single } from "../../../src/fabric/FabricPlan.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { jobNamed } from "../../support/Jobs.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeOneRouter, name } from "./OneRouter.ts"

const DIRECTORY = "/etc/switchyard-tls"
const KEY = `${DIRECTORY}/cnaasnms.key`
const CERTIFICATE = `${DIRECTORY}/cnaasnms.crt`

const Result = Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) })

const said = ({ result }: Job): ReadonlyArray<string> =>
  (Schema.decodeUnknownSync(Result)(result).devices[name]?.job_tasks ?? []).map((task) => String(task.result))

/** Runs the job on a router of its own, in a server with these variables, until it has ended. */
const renew = <A, E>(
  variables: Readonly<Record<string, string>>,
  look: (job: Job, fabric: Fabric.Fabric, authority: CertificateAuthority["Service"]) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const fabric = yield* Fabric.make(single)
    const port = yield* freePort
    yield* fabric.reach(addressOf(name), 22, { address: addressOf(name).replace(/^10/, "127"), port })
    const folders = yield* Campus.makeFolders
    const server = Engine.layer.pipe(
      Layer.provideMerge(
        ServerConfig.layerOf({
          ...Campus.environment({ port }, folders, folders.folder),
          USERNAME_MANAGED: LOGIN.username,
          PASSWORD_MANAGED: LOGIN.password,
          SSH_ADDRESS_MAP: "10.99.0.0/16=127.99.0.0/16",
          ...variables
        })
      )
    )
    yield* Effect.gen(function* () {
      const engine = yield* JobEngine
      const devices = yield* DeviceStore
      const authority = yield* Effect.provide(CertificateAuthority, CertificateAuthority.layer)
      yield* authority.create("Lab CA")
      yield* devices.insert({
        hostname: name,
        state: "MANAGED",
        device_type: "CORE",
        platform: "frr",
        management_ip: addressOf(name),
        synchronized: true
      })
      const id = yield* engine.start(jobNamed("renew_cert"), { hostname: name }, { user: "tester" })
      yield* look(yield* engine.ended(id), fabric, authority)
    }).pipe(Effect.provide(Layer.fresh(server), { local: true }))
  }).pipe(Effect.provide(TestDatabase), Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))

const issue = Effect.gen(function* () {
  const authority = yield* Certificates.makeAuthority("Lab CA")
  return yield* Certificates.issue(authority, name, addressOf(name), 365)
})

/** One router, and what becomes of its directory when this pair is installed. */
const makeInstaller = Effect.gen(function* () {
  const { driver, shell, target } = yield* makeOneRouter()
  const install = Effect.fnUntraced(function* (
    pair: KeyPair,
    more: Partial<DriverTarget> = { certificateDirectory: DIRECTORY }
  ) {
    const { certificates } = yield* driver.open({ ...target, ...more })
    assert.isNotNull(certificates)
    yield* certificates.install(pair, Effect.void)
  }, Effect.scoped)
  return { driver, install, shell, target }
})

describeReal("the certificate of a real router", () => {
  it.live("a certificate is put into the directory by the job, with its key readable by root only", () =>
    renew({ FRR_CERTIFICATE_DIRECTORY: DIRECTORY }, (job, { run }, { show }) =>
      Effect.gen(function* () {
        expect(said(job)).toEqual([`Certificate renew success for device ${name}`, "Cert copy successful"])
        const certificate = new X509Certificate(yield* run(name, `cat ${CERTIFICATE}`))
        const authority = Option.getOrThrow(yield* show)
        expect(certificate.subject).toBe(`CN=${name}`)
        expect(certificate.subjectAltName).toBe(`IP Address:${addressOf(name)}`)
        expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true)
        expect(certificate.checkPrivateKey(createPrivateKey(yield* run(name, `cat ${KEY}`)))).toBe(true)
        expect(yield* run(name, `stat -c '%a %U' ${KEY} ${CERTIFICATE}; ls -A ${DIRECTORY}`)).toBe(
          "600 root\n644 root\ncnaasnms.crt\ncnaasnms.key\n"
        )
        expect(JSON.stringify(job)).not.toContain("PRIVATE KEY")
      })
    )
  )

  it.live("a certificate is refused in a sentence if no directory is configured, and nothing is installed", () =>
    renew({}, (job, { run }) =>
      Effect.gen(function* () {
        expect(job.status).toBe("EXCEPTION")
        expect(JSON.stringify(job.exception)).toContain(
          `Device ${name} keeps certificates as files, and FRR_CERTIFICATE_DIRECTORY names no directory for them`
        )
        expect(yield* run(name, `ls -A ${DIRECTORY} 2>/dev/null || true`)).toBe("")
      })
    )
  )

  it.live("a certificate replaces the previous one, and a directory that others use stays unchanged", () =>
    Effect.gen(function* () {
      const { install, shell } = yield* makeInstaller
      yield* shell(`mkdir -m 750 ${DIRECTORY} && chown frr:frr ${DIRECTORY} && echo other >${DIRECTORY}/other`)
      yield* install(yield* issue)
      // the remains of an interrupted installation
      yield* shell(`echo half >${DIRECTORY}/.cnaasnms.key.new`)
      const pair = yield* issue
      yield* install(pair)
      expect(yield* shell(`cat ${KEY}`)).toBe(Redacted.value(pair.key))
      expect(yield* shell(`cat ${CERTIFICATE}`)).toBe(pair.certificate)
      expect(yield* shell(`stat -c '%a %U' ${DIRECTORY}; ls -A ${DIRECTORY}`)).toBe(
        "750 frr\ncnaasnms.crt\ncnaasnms.key\nother\n"
      )
    }).pipe(Effect.scoped)
  )

  it.live("the old certificate stays when there is no room, or the path is not a directory", () =>
    Effect.gen(function* () {
      const { driver, install, shell, target } = yield* makeInstaller
      const old = yield* issue
      yield* install(old)
      yield* shell(
        `mkdir /run/small && mount -t tmpfs -o size=4k,nr_inodes=16 tmpfs /run/small && cp ${DIRECTORY}/* /run/small || true`
      )
      yield* shell(
        "rm -f /run/small/cnaasnms.crt; echo kept >/run/small/cnaasnms.key; head -c 8k /dev/zero >/run/small/fill || true"
      )
      const full = yield* Effect.flip(install(yield* issue, { certificateDirectory: "/run/small" }))
      expect(renderError(full)).toMatch(/CommandRejected: .*No space left on device/)
      expect(renderError(full)).not.toContain("PRIVATE KEY")
      expect(yield* shell("ls -A /run/small")).toBe("cnaasnms.key\nfill\n")
      const file = yield* Effect.flip(install(yield* issue, { certificateDirectory: "/etc/hostname" }))
      expect(renderError(file)).toMatch(/CommandRejected: .*\/etc\/hostname.*File exists/)
      const { certificates } = yield* Effect.scoped(driver.open(target))
      expect(certificates).toBeNull()
      expect(yield* shell(`cat ${CERTIFICATE}`)).toBe(old.certificate)
    }).pipe(Effect.scoped)
  )

  it.live("a certificate is not installed further after another process has taken over", () =>
    Effect.gen(function* () {
      const { driver, shell, target } = yield* makeInstaller
      const { certificates } = yield* driver.open({ ...target, certificateDirectory: DIRECTORY })
      let claims = 0
      const lost = Effect.suspend(() => (++claims < 4 ? Effect.void : Effect.fail("taken over" as const)))
      assert.isNotNull(certificates)
      expect(yield* Effect.flip(certificates.install(yield* issue, lost))).toBe("taken over")
      expect(yield* shell(`ls -A ${DIRECTORY}`)).toBe("")
    }).pipe(Effect.scoped)
  )
})
