/** What people read of a backup: what is in it, and what it is worth without the key. */
import type { Contents } from "../backup/SiteFiles.ts"
import type { MadeBackup } from "../backup/Backup.ts"

const UNITS = ["bytes", "kB", "MB", "GB", "TB"]

/** A size for people: `12.3 MB`. */
export const sizeText = (bytes: number): string => {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${step === 0 ? bytes : (bytes / 1000 ** step).toFixed(1)} ${UNITS[step] ?? ""}`
}

/** What is sealed under the key, in words. */
export const SEALED =
  "configurations that changes have loaded, put back or proved, arguments of jobs, secrets of `switchyard secret` and the certificate authority's key"

/** What a backup says of itself: its time, its rows and its files. */
export const describe = ({ at, files, installation, release, schema, tables }: Contents): ReadonlyArray<string> => {
  const rows = new Map(tables.map((table) => [table.name, table.rows]))
  const sum = tables.reduce((all, table) => all + table.rows, 0)
  const few = ["device", "interface", "job", "config_change", "event"]
  const counted = few.map((name) => `${name} ${rows.get(name) ?? 0}`).join(", ")
  return [
    `State of ${at}, release ${release}, schema ${schema}${installation === undefined ? "" : `, installation ${installation}`}`,
    `${sum} rows of ${tables.length} tables (${counted})`,
    files.length === 0 ? "no files" : `files: ${files.map(({ file }) => file.replace(/^files\//, "")).join(", ")}`
  ]
}

/** What can be read of it by whom. */
const worth = ({ key }: Contents, isEncrypted: boolean): string => {
  if (key.place === "environment")
    return `SECRET_KEY (${key.name}) is not in it: keep it elsewhere. Without it these cannot be read again: ${SEALED}.`
  return isEncrypted
    ? `The key (${key.name}) is in it: who has the passphrase reads everything.`
    : `The key (${key.name}) is in it, as DATA_DIR/secret.key: the file is worth as much as the key, so keep it as safe, or encrypt it (--encrypt).`
}

/** What is said when a backup was made. */
export const madeText = (
  file: string,
  { contents, notNoted, size, strangers }: MadeBackup,
  isEncrypted: boolean
): ReadonlyArray<string> => [
  `${file}: ${sizeText(size)}${isEncrypted ? ", encrypted" : ""}`,
  ...describe(contents),
  worth(contents, isEncrypted),
  "Not in it: firmware images and copies of repositories, which come again from where they came from, and the environment.",
  ...(strangers.length === 0 ? [] : [`Not in it either, because they are not Switchyard's: ${strangers.join(", ")}`]),
  ...(notNoted === null ? [] : [notNoted])
]
