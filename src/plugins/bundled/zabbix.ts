/**
 * Plugin `zabbix`: keeps switches as hosts of Zabbix 6 or 7 (docs/plugins.md#zabbix): groups, templates, tags, inventory and an SNMP
 * interface. Other properties of a host stay. Upgrades can be a maintenance. Variables: url, token, groups, create_groups, templates, tags,
 * port, community, interface_details, maintenance_minutes, on_removal.
 */
import type { MakePlugin, NewManagedDevice, Plugin } from "../PluginModule.ts"
import * as HttpJson from "./HttpJson.ts"
import { address, flag, isRecord, oneOf, table, text, texts } from "./HttpJson.ts"

// The JSON-RPC API of Zabbix 6 and 7: one request each, with the token where the release expects it.

interface ZabbixApi {
  /** The result of a method. Throws ZabbixProblem for an error of Zabbix. */
  readonly call: (method: string, params: object) => Promise<unknown>
  /** The same for a `*.get`: objects. */
  readonly get: (method: string, params: object) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  /** Whether parameters and answers call host groups `hostgroups` (6.2 and newer) instead of `groups`. */
  readonly hasHostGroups: boolean
}

/** Zabbix refuses. */
class ZabbixProblem extends Error {}

const OK = 200

/** Releases since which the token is a header, and since which host groups differ from those of templates. */
const HEADER_SINCE: Release = [6, 4]
const HOST_GROUPS_SINCE: Release = [6, 2]

type Release = readonly [major: number, minor: number]

const isSince = ([major, minor]: Release, [wantedMajor, wantedMinor]: Release) =>
  major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)

const textOf = (error: unknown): string => {
  const parts = HttpJson.isRecord(error) ? [error["message"], error["data"]] : []
  return parts.filter((part) => typeof part === "string").join(" ")
}

/** The API at this address, for one call of the plugin; asks for the release first. */
const openApi = async (address: string, token: string, signal: AbortSignal): Promise<ZabbixApi> => {
  const url = address.endsWith(".php") ? address : `${address}/api_jsonrpc.php`
  let id = 0
  const request = async (
    method: string,
    params: object,
    login: { readonly headers: Record<string, string>; readonly body: object }
  ) => {
    const body = { jsonrpc: "2.0", method, params, ...login.body, id: ++id }
    const headers = { "content-type": "application/json-rpc", ...login.headers }
    const { json } = await HttpJson.ask({ method: "POST", url, headers, body, signal }, [OK])
    if (!HttpJson.isRecord(json)) throw new Error(`${method}: the answer is no JSON of Zabbix`)
    if (json["error"] !== undefined) throw new ZabbixProblem(`${method}: ${textOf(json["error"])}`)
    return json["result"]
  }

  // Zabbix refuses this method if it comes with a token
  const version = await request("apiinfo.version", [], { headers: {}, body: {} })
  const [major = 0, minor = 0] = typeof version === "string" ? version.split(".").map(Number) : []
  const login = isSince([major, minor], HEADER_SINCE)
    ? { headers: { authorization: `Bearer ${token}` }, body: {} }
    : { headers: {}, body: { auth: token } }

  const call: ZabbixApi["call"] = (method, params) => request(method, params, login)
  return {
    call,
    get: async (method, params) => {
      const result = await call(method, params)
      if (!Array.isArray(result)) throw new Error(`${method}: the answer is no list`)
      return result.filter(HttpJson.isRecord)
    },
    hasHostGroups: isSince([major, minor], HOST_GROUPS_SINCE)
  }
}

type ZabbixObject = Readonly<Record<string, unknown>>

/** Numbers of the API. */
const SNMP = 2
const ENABLED = 0
const DISABLED = 1
const INVENTORY_BY_HAND = 0
const ONE_TIME = 0

/** The longest field of the inventory. */
const INVENTORY_LENGTH = 64

const settingsOf = (vars: Readonly<Record<string, unknown>>) => ({
  url: address(vars, "url"),
  token: text(vars, "token"),
  groups: texts(vars, "groups", ["Switches"]),
  createGroups: flag(vars, "create_groups", true),
  templates: texts(vars, "templates", []),
  tags: table(vars, "tags"),
  port: text(vars, "port", "161"),
  details: isRecord(vars["interface_details"])
    ? vars["interface_details"]
    : { version: 2, bulk: 1, community: text(vars, "community", "{$SNMP_COMMUNITY}") },
  maintenanceMinutes: Number(text(vars, "maintenance_minutes", "0")),
  onRemoval: oneOf(vars, "on_removal", ["disable", "keep", "delete"])
})
type Settings = ReturnType<typeof settingsOf>

const objectsIn = (value: unknown): ReadonlyArray<ZabbixObject> => (Array.isArray(value) ? value.filter(isRecord) : [])

/** Ids by names; an error lists the missing names. */
const idsOf = async (api: ZabbixApi, method: string, field: string, id: string, names: ReadonlyArray<string>) => {
  const found = await api.get(method, { output: [id, field], filter: { [field]: names } })
  return names.map((name) => ({ name, id: found.find((one) => one[field] === name)?.[id] }))
}

const groupIds = async (api: ZabbixApi, { createGroups, groups }: Settings) => {
  const ids: Array<unknown> = []
  for (const { id, name } of await idsOf(api, "hostgroup.get", "name", "groupid", groups)) {
    if (id === undefined && !createGroups)
      throw new Error(`Zabbix has no host group ${name}, and create_groups is not set`)
    const created = id === undefined ? await api.call("hostgroup.create", { name }) : undefined
    ids.push(id ?? (isRecord(created) && Array.isArray(created["groupids"]) ? created["groupids"][0] : undefined))
  }
  return ids
}

const templateIds = async (api: ZabbixApi, { templates }: Settings) => {
  if (templates.length === 0) return []
  const found = await idsOf(api, "template.get", "host", "templateid", templates)
  const missing = found.find(({ id }) => id === undefined)
  if (missing !== undefined) throw new Error(`Zabbix has no template ${missing.name}`)
  return found.map(({ id }) => id)
}

const findHost = async (api: ZabbixApi, hostname: string): Promise<ZabbixObject | undefined> => {
  const groups = api.hasHostGroups ? { selectHostGroups: ["groupid"] } : { selectGroups: ["groupid"] }
  const [found] = await api.get("host.get", {
    output: ["hostid", "host", "status"],
    filter: { host: [hostname] },
    selectInterfaces: ["interfaceid", "type", "main", "ip", "port"],
    selectTags: "extend",
    selectParentTemplates: ["templateid"],
    ...groups
  })
  return found
}

/** Each element once, the previous ones first. */
const union = (before: ReadonlyArray<unknown>, ours: ReadonlyArray<unknown>) => [...new Set([...before, ...ours])]

const inventoryOf = (device: NewManagedDevice) =>
  Object.fromEntries(
    Object.entries({
      name: device.hostname,
      type: device.device_type,
      vendor: device.vendor,
      model: device.model,
      serialno_a: device.serial_number,
      os: device.os_version
    }).map(([name, value]) => [name, value.slice(0, INVENTORY_LENGTH)])
  )

const make: MakePlugin = ({ log, vars }): Plugin => {
  const settings = settingsOf(vars)
  const open = (signal: AbortSignal) => openApi(settings.url, settings.token, signal)
  const interfaceFor = (ip: string) => {
    const { details, port } = settings
    return { type: SNMP, main: 1, useip: 1, ip, dns: "", port, details }
  }
  const tagList = Object.entries(settings.tags).map(([tag, value]) => ({ tag, value }))

  const create = async (api: ZabbixApi, device: NewManagedDevice) => {
    const groups = (await groupIds(api, settings)).map((groupid) => ({ groupid }))
    const templates = (await templateIds(api, settings)).map((templateid) => ({ templateid }))
    await api.call("host.create", {
      host: device.hostname,
      groups,
      templates,
      interfaces: [interfaceFor(device.management_ip)],
      tags: tagList,
      inventory_mode: INVENTORY_BY_HAND,
      inventory: inventoryOf(device)
    })
  }

  const putInterface = async (api: ZabbixApi, host: ZabbixObject, ip: string) => {
    const known = objectsIn(host["interfaces"]).find(
      ({ main, type }) => String(type) === String(SNMP) && String(main) === "1"
    )
    if (known === undefined) return api.call("hostinterface.create", { hostid: host["hostid"], ...interfaceFor(ip) })
    if (known["ip"] === ip && known["port"] === settings.port) return
    const { interfaceid } = known
    return api.call("hostinterface.update", { interfaceid, useip: 1, ip, port: settings.port })
  }

  const update = async (api: ZabbixApi, host: ZabbixObject, device: NewManagedDevice) => {
    const groupsBefore = objectsIn(host["hostgroups"] ?? host["groups"]).map(({ groupid }) => groupid)
    const templatesBefore = objectsIn(host["parentTemplates"]).map(({ templateid }) => templateid)
    const others = objectsIn(host["tags"]).filter(({ tag }) => !tagList.some((ours) => ours.tag === tag))
    await api.call("host.update", {
      hostid: host["hostid"],
      status: ENABLED,
      groups: union(groupsBefore, await groupIds(api, settings)).map((groupid) => ({ groupid })),
      templates: union(templatesBefore, await templateIds(api, settings)).map((templateid) => ({ templateid })),
      tags: [...others.map(({ tag, value }) => ({ tag, value })), ...tagList],
      inventory_mode: INVENTORY_BY_HAND,
      inventory: inventoryOf(device)
    })
    await putInterface(api, host, device.management_ip)
  }

  const put = async (api: ZabbixApi, device: NewManagedDevice) => {
    const known = await findHost(api, device.hostname)
    if (known !== undefined) return update(api, known, device)
    try {
      await create(api, device)
    } catch (error) {
      // another client may have added it in the meantime
      const other = error instanceof ZabbixProblem ? await findHost(api, device.hostname) : undefined
      if (other === undefined) throw error
      await update(api, other, device)
    }
  }

  const maintenanceOf = async (api: ZabbixApi, hostname: string) => {
    const name = `Switchyard upgrade of ${hostname}`
    const [known] = await api.get("maintenance.get", { output: ["maintenanceid"], filter: { name: [name] } })
    return { name, id: known?.["maintenanceid"] }
  }
  const endMaintenance = async (api: ZabbixApi, hostname: string) => {
    const { id } = await maintenanceOf(api, hostname)
    if (id !== undefined) await api.call("maintenance.delete", [id])
  }

  return {
    selftest: async ({ signal }) => {
      await (await open(signal)).get("hostgroup.get", { output: ["groupid"], limit: 1 })
      return true
    },
    new_managed_device: async (device, { signal }) => {
      await put(await open(signal), device)
      log(`${device.hostname} is a host of Zabbix`)
    },
    upgrade_reboot_starting: async ({ hostname }, { signal }) => {
      if (settings.maintenanceMinutes <= 0) return
      const api = await open(signal)
      const host = await findHost(api, hostname)
      if (host === undefined) return
      await endMaintenance(api, hostname)
      const { name } = await maintenanceOf(api, hostname)
      const start = Math.floor(Date.now() / 1000)
      const period = settings.maintenanceMinutes * 60
      await api.call("maintenance.create", {
        name,
        active_since: start,
        active_till: start + period,
        hosts: [{ hostid: host["hostid"] }],
        timeperiods: [{ timeperiod_type: ONE_TIME, start_date: start, period }]
      })
    },
    upgrade_reboot_completed: async ({ hostname }, { signal }) => {
      if (settings.maintenanceMinutes > 0) await endMaintenance(await open(signal), hostname)
    },
    removed_device: async ({ hostname }, { signal }) => {
      if (settings.onRemoval === "keep") return
      const api = await open(signal)
      const host = await findHost(api, hostname)
      if (host === undefined) return
      if (settings.onRemoval === "delete") await api.call("host.delete", [host["hostid"]])
      else await api.call("host.update", { hostid: host["hostid"], status: DISABLED })
    }
  }
}

export default make
