/** The table of calls in the manual, from the OpenAPI document: the method of clients, the call, its token, what it does. */
import { OpenApi } from "effect/http-api"
import { Api, BASE } from "../../src/api/Api.ts"
import { table } from "./Marked.ts"

const METHODS = ["get", "post", "put", "delete"] as const

const tokenOf = (security: ReadonlyArray<Readonly<Record<string, unknown>>> | undefined): string => {
  const [first, ...others] = security ?? []
  if (first === undefined) return "none"
  if ("basic" in first) return "name and password"
  return others.length === 0 ? "yes" : "yes, or `METRICS_NETWORKS`"
}

export const endpointTable = (): string => {
  const { paths } = OpenApi.fromApi(Api)
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const shown = path.startsWith(BASE) ? path.slice(BASE.length) : path
      const name = operation.deprecated === true ? `${operation.operationId} (deprecated)` : operation.operationId
      return [
        [`\`${method.toUpperCase()} ${shown}\``, tokenOf(operation.security), String(name), operation.summary ?? ""]
      ]
    })
  )
  return table(["Call", "Token", "`operationId`", "What it does"], rows)
}
