/** Backups with altered contents and right sums: as another release, or an attacker, would write them. */
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as BackupFile from "../../../src/backup/BackupFile.ts"
import { CONTENTS, CONTENTS_SUM, sumLineOf } from "../../../src/backup/SiteFiles.ts"

async function* once(bytes: Uint8Array) {
  yield bytes
}

const entriesOf = async (bytes: Uint8Array) => {
  const found: Array<BackupFile.TarEntry> = []
  for await (const entry of BackupFile.tarEntries(once(bytes))) found.push(entry)
  return found
}

/** The file with other files in it; `change` gets them without the sum of the contents, which is made anew. */
export const forge = (
  file: string,
  change: (entries: ReadonlyArray<BackupFile.TarEntry>) => ReadonlyArray<BackupFile.TarEntry>
) =>
  Effect.promise(async () => {
    const entries = await entriesOf(await fs.readFile(file))
    const changed = change(entries.filter(({ name }) => name !== CONTENTS_SUM)).flatMap((entry) =>
      entry.name === CONTENTS
        ? [entry, { name: CONTENTS_SUM, content: Buffer.from(sumLineOf(entry.content)) }]
        : [entry]
    )
    return Buffer.concat([
      ...changed.flatMap(({ content, name }) => BackupFile.tarEntry(name, content, 0)),
      BackupFile.TAR_END
    ])
  })

/** The file with another text in its contents. */
export const saying = (file: string, from: string | RegExp, to: string) =>
  forge(file, (entries) =>
    entries.map(({ content, name }) =>
      name === CONTENTS ? { name, content: Buffer.from(content.toString("utf8").replace(from, to)) } : { name, content }
    )
  )
