/** The version of a device's ports: another text as soon as one of them is another one. Pure. */
import { createHash } from "node:crypto"
import type { Interface } from "../../domain/Interface.ts"

/** The keys of data come from the database in an order that is always the same. */
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
