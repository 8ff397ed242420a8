/**
 * The key and the certificate of a switch, as files in a directory of the site's choice (docs/frr.md#certificates). Both are
 * written next to the existing files and replace them together; then they are read again. The key goes through the input of a
 * command, never through its words.
 */
import { hash, X509Certificate } from "node:crypto"
import { Effect, Redacted } from "effect"
import { CommandRejected } from "../DriverErrors.ts"
import type { CertificateVerbs, KeyPair } from "../Verbs.ts"
import { quoted, type Remote } from "./Answers.ts"

/** Names of both, as templates refer to them on every platform. */
const certificateName = "cnaasnms.crt"
const keyName = "cnaasnms.key"

/** Their paths, as shell words. */
const pathsIn = (directory: string) => {
  const at = (name: string) => quoted(`${directory}/${name}`)
  return {
    directory: quoted(directory),
    key: at(keyName),
    certificate: at(certificateName),
    newKey: at(`.${keyName}.new`),
    newCertificate: at(`.${certificateName}.new`)
  }
}
type Paths = ReturnType<typeof pathsIn>

/** No other process may create a file of this name meanwhile, so an existing one is an error. */
const write = (path: string, mode: string): string =>
  `set -e -C; umask 077; rm -f ${path}; cat >${path}; chmod ${mode} ${path}; sync ${path}`

const makeDirectory = ({ directory }: Paths): string =>
  `{ test -d ${directory} || (umask 022; mkdir -p ${directory}); } && test -w ${directory}`

const putInPlace = ({ certificate, directory, key, newCertificate, newKey }: Paths): string =>
  `mv -f ${newKey} ${key} && mv -f ${newCertificate} ${certificate} && sync ${directory}`

/** The identity of a certificate: its fingerprint and its last day; undefined for something else. */
export const identityOf = (
  certificate: string
): { readonly fingerprint: string; readonly until: string } | undefined => {
  try {
    const { fingerprint256, validTo } = new X509Certificate(certificate)
    return { fingerprint: fingerprint256, until: validTo }
  } catch {
    return undefined
  }
}

/** Reads both again: the certificate itself, and the checksum of the key. */
const prove = Effect.fnUntraced(function* (remote: Remote, paths: Paths, pair: KeyPair) {
  const { hostname } = remote.target
  const found = identityOf(yield* remote.query(`cat ${paths.certificate}`))
  const wanted = identityOf(pair.certificate)
  const sum = (yield* remote.query(`sha256sum <${paths.key}`)).split(" ")[0]
  const isKey = sum === hash("sha256", Redacted.value(pair.key), "hex")
  if (found === undefined || found.fingerprint !== wanted?.fingerprint || !isKey) {
    const message = `read again, ${isKey ? "the certificate" : "the key"} on the switch is not the one that was sent`
    return yield* new CommandRejected({ hostname, command: `cat ${paths.certificate}`, message })
  }
  yield* Effect.logInfo("A certificate was installed", { hostname, ...found })
})

const install = Effect.fnUntraced(function* <E>(
  remote: Remote,
  paths: Paths,
  pair: KeyPair,
  claim: Effect.Effect<void, E>
) {
  const step = (line: string, input = "") => Effect.andThen(claim, remote.query(line, { input }))
  yield* Effect.gen(function* () {
    yield* step(makeDirectory(paths))
    yield* step(write(paths.newKey, "600"), Redacted.value(pair.key))
    yield* step(write(paths.newCertificate, "644"), pair.certificate)
    yield* step(putInPlace(paths))
  }).pipe(Effect.tapError(() => Effect.ignore(remote.run(`rm -f ${paths.newKey} ${paths.newCertificate}`))))
  yield* prove(remote, paths, pair)
})

/** The verbs on this switch; null when no setting says where certificates belong. */
export const certificates = (remote: Remote): CertificateVerbs | null => {
  const directory = remote.target.certificateDirectory
  if (directory === undefined) return null
  return { install: (pair, claim) => install(remote, pathsIn(directory), pair, claim) }
}
