/** The list of all endpoints, from the definition of the API. */
import { Context, Option } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Api, BASE } from "../../src/api/Api.ts"

const shown = (path: string): string =>
  (path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : path).replaceAll(/:(\w+)(?:\([^)]*\))?/g, "<$1>")

/** A line for each path, with its methods and what each does; in the order of the API's groups. */
export const routeTable = (): string => {
  const methods = new Map<string, Array<string>>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const summary = Option.getOrElse(Context.getOption(endpoint.annotations, OpenApi.Summary), () => "")
      const path = shown(endpoint.path)
      methods.set(path, [...(methods.get(path) ?? []), `${endpoint.method} ${summary}`])
    }
  })
  return [...methods].map(([path, calls]) => `- \`${path}\`: ${calls.join("; ")}`).join("\n")
}
