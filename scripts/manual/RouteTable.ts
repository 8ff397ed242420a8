/** The list of all endpoints, from the definition of the API. */
import { HttpApi } from "effect/http-api"
import { Api, BASE } from "../../src/api/Api.ts"

const shown = (path: string): string =>
  (path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : path).replaceAll(/:(\w+)(?:\([^)]*\))?/g, "<$1>")

/** A line for each group of the API: its paths with their methods. */
export const routeTable = (): string => {
  const groups = new Map<string, Map<string, ReadonlyArray<string>>>()
  HttpApi.reflect(Api, {
    onGroup: ({ group }) => void groups.set(group.identifier, new Map()),
    onEndpoint: ({ endpoint, group }) => {
      const paths = groups.get(group.identifier)
      const path = shown(endpoint.path)
      paths?.set(path, [...(paths.get(path) ?? []), endpoint.method])
    }
  })
  return [...groups]
    .map(([group, paths]) => {
      const calls = [...paths].map(([path, methods]) => `\`${path}\` ${methods.join(" ")}`)
      return `- ${group}: ${calls.join(", ")}`
    })
    .join("\n")
}
