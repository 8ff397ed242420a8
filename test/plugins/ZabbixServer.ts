/**
 * The requirements of Zabbix for its clients, as an HTTP server: JSON-RPC 2.0, the token in the place of the release, no unknown
 * parameters, required ones, unique names of hosts, and errors in Zabbix's own form, with status 200.
 */
import { Effect } from "effect"
import { type Answered, type Asked, serve } from "./JsonServer.ts"

type Fields = Readonly<Record<string, unknown>>
export type Row = Record<string, unknown>

class RpcError extends Error {
  readonly code: number
  readonly title: string
  constructor(code: number, title: string, data: string) {
    super(data)
    this.code = code
    this.title = title
  }
}

const invalid = (data: string) => {
  throw new RpcError(-32602, "Invalid params.", data)
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Parameters that a method knows; those that begin with `!` are required. */
const METHODS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "hostgroup.get": ["output", "filter", "limit"],
  "hostgroup.create": ["!name"],
  "template.get": ["output", "filter"],
  "host.get": ["output", "filter", "selectInterfaces", "selectTags", "selectParentTemplates"],
  "host.create": ["!host", "!groups", "templates", "interfaces", "tags", "inventory_mode", "inventory"],
  "host.update": ["!hostid", "status", "groups", "templates", "tags", "inventory_mode", "inventory"],
  "hostinterface.create": ["!hostid", "!type", "!main", "!useip", "!ip", "!dns", "!port", "details"],
  "hostinterface.update": ["!interfaceid", "useip", "ip", "port"],
  "maintenance.get": ["output", "filter"],
  "maintenance.create": ["!name", "!active_since", "!active_till", "!timeperiods", "hosts"]
}

/** Methods whose parameters are ids. */
const DELETIONS: Readonly<Record<string, readonly [table: string, id: string]>> = {
  "host.delete": ["host", "hostid"],
  "maintenance.delete": ["maintenance", "maintenanceid"]
}

/** A Zabbix of a release, as `7.0.5`, with this token. */
export const make = Effect.fnUntraced(function* (release: string, token: string) {
  const [major = 0, minor = 0] = release.split(".").map(Number)
  const since = (a: number, b: number) => major > a || (major === a && minor >= b)
  const selectGroups = since(6, 2) ? "selectHostGroups" : "selectGroups"
  const tables = {
    hostgroup: new Array<Row>(),
    template: new Array<Row>(),
    host: new Array<Row>(),
    maintenance: new Array<Row>()
  }
  const called: Array<string> = []
  let last = 10_000
  const next = () => String(++last)
  let beforeCreate = (): void => undefined

  const known = (method: string, params: Fields) => {
    const names = [...(METHODS[method] ?? []), ...(method === "host.get" ? [selectGroups] : [])]
    const unknown = Object.keys(params).find((name) => !names.some((one) => one.replace("!", "") === name))
    if (unknown !== undefined) invalid(`Invalid parameter "/": unexpected parameter "${unknown}".`)
    const missing = names.find((name) => name.startsWith("!") && params[name.slice(1)] === undefined)
    if (missing !== undefined) invalid(`Invalid parameter "/1": the parameter "${missing.slice(1)}" is missing.`)
  }

  const filtered = (rows: ReadonlyArray<Row>, { filter }: Fields) =>
    rows.filter((row) =>
      Object.entries(isFields(filter) ? filter : {}).every(
        ([field, values]) => Array.isArray(values) && values.includes(row[field])
      )
    )

  const checkHost = ({ groups, interfaces, inventory, templates }: Fields) => {
    if (groups !== undefined && (!Array.isArray(groups) || groups.length === 0)) {
      invalid(`Invalid parameter "/1/groups": cannot be empty.`)
    }
    for (const [list, table, id] of [
      [groups, tables.hostgroup, "groupid"],
      [templates, tables.template, "templateid"]
    ] as const) {
      for (const one of Array.isArray(list) ? list : []) {
        if (!table.some((row) => row[id] === one[id])) {
          throw new RpcError(-32500, "Application error.", "No permissions to referred object or it does not exist!")
        }
      }
    }
    for (const [index, one] of (Array.isArray(interfaces) ? interfaces : []).entries()) {
      if (one.type === 2 && !isFields(one.details)) {
        invalid(`Invalid parameter "/1/interfaces/${index + 1}": the parameter "details" is missing.`)
      }
      if (typeof one.port !== "string")
        invalid(`Invalid parameter "/1/interfaces/1/port": a character string is expected.`)
    }
    for (const [name, value] of Object.entries(isFields(inventory) ? inventory : {})) {
      if (String(value).length > 64) invalid(`Invalid parameter "/1/inventory/${name}": value is too long.`)
    }
  }

  const withInterfaces = (interfaces: unknown) =>
    (Array.isArray(interfaces) ? interfaces : []).map((one) => ({
      ...one,
      interfaceid: next(),
      // numbers are texts in answers
      type: String(one.type),
      main: String(one.main)
    }))

  const hostOf = (hostid: unknown) => {
    const host = tables.host.find((row) => row["hostid"] === hostid)
    if (host === undefined) {
      throw new RpcError(-32500, "Application error.", "No permissions to referred object or it does not exist!")
    }
    return host
  }

  const shownHost = (host: Row): Row => {
    const { groups, templates, ...rest } = host
    return { ...rest, [since(6, 2) ? "hostgroups" : "groups"]: groups, parentTemplates: templates }
  }

  const methods: Readonly<Record<string, (params: Fields) => unknown>> = {
    "hostgroup.get": (params) => filtered(tables.hostgroup, params),
    "hostgroup.create": ({ name }) => {
      const groupid = next()
      tables.hostgroup.push({ groupid, name })
      return { groupids: [groupid] }
    },
    "template.get": (params) => filtered(tables.template, params),
    "host.get": (params) => filtered(tables.host, params).map(shownHost),
    "host.create": (params) => {
      beforeCreate()
      checkHost(params)
      const twin = tables.host.some(({ host }) => host === params["host"])
      if (twin) invalid(`Host with the same name "${String(params["host"])}" already exists.`)
      const hostid = next()
      tables.host.push({ hostid, status: "0", tags: [], ...params, interfaces: withInterfaces(params["interfaces"]) })
      return { hostids: [hostid] }
    },
    "host.update": ({ hostid, ...params }) => {
      checkHost(params)
      Object.assign(hostOf(hostid), params)
      return { hostids: [hostid] }
    },
    "hostinterface.create": ({ hostid, ...params }) => {
      const host = hostOf(hostid)
      host["interfaces"] = [
        ...(Array.isArray(host["interfaces"]) ? host["interfaces"] : []),
        ...withInterfaces([params])
      ]
      return { interfaceids: ["1"] }
    },
    "hostinterface.update": ({ interfaceid, ...params }) => {
      for (const { interfaces } of tables.host) {
        for (const one of Array.isArray(interfaces) ? interfaces : []) {
          if (one.interfaceid === interfaceid) Object.assign(one, params)
        }
      }
      return { interfaceids: [interfaceid] }
    },
    "maintenance.get": (params) => filtered(tables.maintenance, params),
    "maintenance.create": (params) => {
      if (tables.maintenance.some(({ name }) => name === params["name"])) {
        invalid(`Maintenance "${String(params["name"])}" already exists.`)
      }
      tables.maintenance.push({ maintenanceid: next(), ...params })
      return { maintenanceids: ["1"] }
    }
  }

  const authorize = (request: Fields, { headers }: Asked) => {
    if (request["auth"] !== undefined && since(7, 2)) {
      throw new RpcError(-32600, "Invalid request.", `Invalid parameter "/": unexpected parameter "auth".`)
    }
    const given = since(6, 4) ? (headers.authorization ?? "").replace(/^Bearer /, "") : request["auth"]
    if (given !== token) invalid("Not authorized.")
  }

  const obey = (asked: Asked): unknown => {
    if (asked.path !== "/zabbix/api_jsonrpc.php") throw new Error("no such path")
    if (!/^application\/(json-rpc|json|jsonrequest)$/.test(asked.headers["content-type"] ?? "")) {
      throw new Error("the frontend answers 412")
    }
    const request: Fields = JSON.parse(asked.text)
    const { id, jsonrpc, method, params } = request
    if (jsonrpc !== "2.0" || typeof method !== "string" || id === undefined || typeof params !== "object") {
      throw new RpcError(-32600, "Invalid request.", 'Invalid parameter "/"')
    }
    called.push(method)
    if (method === "apiinfo.version") {
      if (asked.headers.authorization !== undefined || request["auth"] !== undefined) {
        invalid(`The "apiinfo.version" method must be called without authorization header.`)
      }
      return release
    }
    authorize(request, asked)
    const deletion = DELETIONS[method]
    if (deletion !== undefined) {
      if (!Array.isArray(params)) invalid(`Invalid parameter "/": an array is expected.`)
      const [table, field] = deletion
      const rows = table === "host" ? tables.host : tables.maintenance
      rows.splice(0, rows.length, ...rows.filter((row) => !Array.isArray(params) || !params.includes(row[field])))
      return {}
    }
    if (!isFields(params)) return invalid(`Invalid parameter "/": an array is expected.`)
    known(method, params)
    return methods[method]?.(params)
  }

  const server = yield* serve((asked): Answered => {
    try {
      return { status: 200, json: { jsonrpc: "2.0", result: obey(asked), id: 1 } }
    } catch (error) {
      if (!(error instanceof RpcError)) return { status: 412 }
      const { code, message, title } = error
      return { status: 200, json: { jsonrpc: "2.0", error: { code, message: title, data: message }, id: 1 } }
    }
  })
  return {
    url: `${server.url}/zabbix`,
    called,
    tables,
    addTemplate: (host: string) => tables.template.push({ templateid: next(), host }),
    onCreate: (hook: () => void) => {
      beforeCreate = hook
    },
    addHost: (host: string, fields: Row = {}) =>
      tables.host.push({
        hostid: next(),
        host,
        status: "1",
        tags: [],
        groups: [],
        templates: [],
        interfaces: [],
        ...fields
      })
  }
})
