/**
 * Devices of NetBox as its REST API lists them (docs/onboarding.md#netbox): pages of records, of which only some fields are read. A record
 * with a field of an unexpected form is a mistake of that field. Pure.
 */
import { Option, Schema } from "effect"
import type { InventoryError, InventoryField, ReadInventory, SourceRow } from "./Inventory.ts"

const Named = Schema.Struct({
  slug: Schema.optionalKey(Schema.NullOr(Schema.String)),
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  model: Schema.optionalKey(Schema.NullOr(Schema.String))
})
const Address = Schema.Struct({ address: Schema.String })

const Device = Schema.Struct({
  id: Schema.Int,
  name: Schema.NullOr(Schema.String),
  serial: Schema.optionalKey(Schema.NullOr(Schema.String)),
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  platform: Schema.optionalKey(Schema.NullOr(Named)),
  /** `device_role` before NetBox 3.6. */
  role: Schema.optionalKey(Schema.NullOr(Named)),
  device_role: Schema.optionalKey(Schema.NullOr(Named)),
  device_type: Schema.optionalKey(Schema.NullOr(Named)),
  primary_ip: Schema.optionalKey(Schema.NullOr(Address)),
  primary_ip4: Schema.optionalKey(Schema.NullOr(Address)),
  primary_ip6: Schema.optionalKey(Schema.NullOr(Address))
})

/** A page of the list; `next` is the address of the next one. */
const Page = Schema.Struct({
  next: Schema.NullOr(Schema.String),
  results: Schema.Array(Schema.Unknown)
})

/** A page; none for an answer that is no list of NetBox. */
export const readPage = (text: string) => Schema.decodeOption(Schema.fromJsonString(Page))(text)

const decodeDevice = Schema.decodeUnknownOption(Device)

const withoutLength = (address: string): string => address.replace(/\/\d+$/, "")

const rowOf = (sent: unknown, place: number): SourceRow | InventoryError => {
  const found = decodeDevice(sent)
  if (Option.isNone(found))
    return {
      file: `NetBox, device ${place}`,
      line: null,
      field: "",
      message: "is no record of a device as NetBox 3 or 4 has it"
    }
  const {
    description,
    device_role,
    device_type,
    id,
    name,
    platform,
    primary_ip,
    primary_ip4,
    primary_ip6,
    role,
    serial
  } = found.value
  const file = `NetBox, ${name ?? `device ${id}`}`
  if (name === null || name === "") return { file, line: null, field: "hostname", message: "the device has no name" }
  const address = primary_ip4 ?? primary_ip ?? primary_ip6
  const given: Readonly<Record<InventoryField, string | null | undefined>> = {
    hostname: name,
    management_ip: address === null || address === undefined ? undefined : withoutLength(address.address),
    device_type: (role ?? device_role)?.slug,
    platform: platform?.slug,
    port: undefined,
    serial: serial,
    ztp_mac: undefined,
    model: device_type?.model,
    os_version: undefined,
    description
  }
  const fields = Object.fromEntries(
    Object.entries(given).flatMap(([field, value]) =>
      value === null || value === undefined || value.trim() === "" ? [] : [[field, value.trim()]]
    )
  )
  return { file, line: null, fields }
}

/** The rows of all pages. */
export const readNetbox = (records: ReadonlyArray<unknown>): ReadInventory => {
  const read = records.map((one, index) => rowOf(one, index + 1))
  const errors = read.filter((one): one is InventoryError => "message" in one)
  const rows = read.filter((one): one is SourceRow => "fields" in one)
  return rows.length === 0 && errors.length === 0
    ? { rows, errors: [{ file: "NetBox", line: null, field: "", message: "lists no device that fits the filter" }] }
    : { rows, errors }
}

/** The address of the first page: the devices of a filter such as `site=lhv&status=active`. */
export const firstPage = (url: string, filter: string): string => {
  const base = url.replace(/\/+$/, "").replace(/\/api$/, "")
  const query = new URLSearchParams(filter)
  query.set("limit", "500")
  return `${base}/api/dcim/devices/?${query.toString()}`
}

/**
 * The address of a following page. NetBox builds it from the address that it believes to have, which a proxy may have changed: only its
 * query is used. Null for one that has no query.
 */
export const followingPage = (first: string, next: string): string | null => {
  const query = URL.canParse(next) ? new URL(next).search : ""
  if (query === "") return null
  const url = new URL(first)
  url.search = query
  return url.href
}
