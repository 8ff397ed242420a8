/**
 * The key and the certificate of a switch, in its stores (docs/switch-dialogues.md#eos-files-and-certificates and
 * docs/security.md#certificate-authority).
 */
import { Effect, Redacted } from "effect"
import { CommandRejected } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import type { Cli } from "../ssh/Cli.ts"
import { sendFile, type Transport } from "../ssh/Transport.ts"
import type { CertificateVerbs, KeyPair } from "../Verbs.ts"
import { saidTo } from "./Answers.ts"
import { isCopied } from "./Dialect.ts"

// Files on a switch's flash (docs/switch-dialogues.md#eos-files-and-certificates).

/** The file's path for programs on the switch; its command line says `flash:`. */
export const flashPath = (file: string): string => `/mnt/flash/${file}`

/** Writes a file over a channel of its own. */
export const putFile = Effect.fnUntraced(function* (cli: Cli, transport: Transport, path: string, bytes: Uint8Array) {
  const command = `scp -t ${path}`
  const channel = yield* transport.exec(command)
  yield* sendFile(channel, path, bytes).pipe(
    Effect.mapError(
      (message) => new CommandRejected({ hostname: cli.target.hostname, command, message: maskSecrets(message) })
    )
  )
})

/** Removes a file; a missing one may be refused. */
export const removeFile = (cli: Cli, file: string) => Effect.asVoid(saidTo(cli, `delete flash:${file}`))

/** Names of both on the switch, as templates refer to them. */
const certificateName = "cnaasnms.crt"
const keyName = "cnaasnms.key"

const copySeconds = 60
const cleanAttempts = 2

const refused = (cli: Cli, command: string, message: string) =>
  new CommandRejected({ hostname: cli.target.hostname, command, message: maskSecrets(message) })

const upload = (cli: Cli, transport: Transport, name: string, text: string) =>
  putFile(cli, transport, flashPath(name), Buffer.from(text)).pipe(
    Effect.catchTag("CommandRejected", ({ command, message }) =>
      Effect.fail(refused(cli, command, `Unable to copy cert file to device: ${cli.target.hostname}: ${message}`))
    )
  )

const intoStore = Effect.fnUntraced(function* (cli: Cli, command: string) {
  const answer = (yield* saidTo(cli, command, { timeout: copySeconds })).trim()
  if (isCopied(answer)) return
  const message = `Unable to copy cert into certstore on device: ${cli.target.hostname}: ${answer}`
  return yield* refused(cli, command, message)
})

/** Removes both files from the flash. A refusal for a missing file is ignored; a key that remains is an error. */
const clean = Effect.fnUntraced(function* (cli: Cli) {
  for (let attempt = 1; attempt <= cleanAttempts; attempt += 1) {
    for (const name of [keyName, certificateName]) yield* removeFile(cli, name)
    if (!(yield* saidTo(cli, "dir flash:")).includes(keyName)) return
  }
  const message = `The private key stays on the flash of ${cli.target.hostname} as ${keyName}: delete it there`
  return yield* refused(cli, `delete flash:${keyName}`, message)
})

const install = Effect.fnUntraced(function* <E>(
  cli: Cli,
  transport: Transport,
  { certificate, key }: KeyPair,
  claim: Effect.Effect<void, E>
) {
  const steps = Effect.all([
    Effect.andThen(claim, upload(cli, transport, keyName, Redacted.value(key))),
    Effect.andThen(claim, upload(cli, transport, certificateName, certificate)),
    Effect.andThen(claim, intoStore(cli, `copy flash:${certificateName} certificate:`)),
    Effect.andThen(claim, intoStore(cli, `copy flash:${keyName} sslkey:`))
  ])
  const installed = yield* Effect.result(steps)
  // a lost connection fails here too, and may be tried again; otherwise the first error is reported
  yield* clean(cli)
  yield* Effect.fromResult(installed)
})

/** Takes key and certificate out of the stores of the switch; missing ones may be refused. */
export const removeInstalled = Effect.fnUntraced(function* (cli: Cli) {
  yield* saidTo(cli, `delete certificate:${certificateName}`)
  yield* saidTo(cli, `delete sslkey:${keyName}`)
})

/** The verbs on this switch. */
export const certificates = (cli: Cli, transport: Transport): CertificateVerbs => ({
  install: (pair, claim) => install(cli, transport, pair, claim)
})
