/** The ports of a device as they are told: their version, another text as soon as one of them is another one, and their secrets hidden. */
import { createHash } from "node:crypto"
import { isObject } from "../../domain/fields/Values.ts"
import type { Interface } from "../../domain/Interface.ts"
import type { SecretTexts } from "../../store/SecretStore.ts"

/** Ports with marks in the place of secrets in their texts. */
export const hiddenPorts =
  ({ hideTexts }: SecretTexts["Service"]) =>
  (ports: ReadonlyArray<Interface>): ReadonlyArray<Interface> =>
    ports.map((port) => {
      const data = hideTexts(port.data)
      return { ...port, data: isObject(data) ? data : null }
    })

/** Of hidden ports: a version must not tell a secret to who tries many. The keys of data come from the database in an order that is always the same. */
export const versionOf = (ports: ReadonlyArray<Interface>): string =>
  createHash("sha256")
    .update(
      JSON.stringify(
        ports
          .map(({ configtype, data, name }) => [name, configtype, data])
          .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))
      )
    )
    .digest("hex")
    .slice(0, 16)

/** The version in `If-Match`, which may stand in quotation marks; undefined for none and for `*`. */
export const wantedVersion = (header: string | undefined): string | undefined => {
  const text = header?.trim().replace(/^(W\/)?"(.*)"$/, "$2")
  return text === undefined || text === "" || text === "*" ? undefined : text
}
