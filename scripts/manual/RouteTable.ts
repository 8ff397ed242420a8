/** The table of all endpoints, from the definition of the API. */
import { Context, Option } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { Authorization, ScrapeAuthorization } from "../../src/api/Requests.ts"
import { table } from "./Marked.ts"

const GUARDS: ReadonlySet<string> = new Set([Authorization.key, ScrapeAuthorization.key])

const parameters = (path: string): string => path.replaceAll(/:(\w+)(?:\([^)]*\))?/g, "<$1>")

/** Method, path, whether a token is needed, and what the endpoint does; in the order of the API's groups. */
export const routeTable = (): string => {
  const rows: Array<ReadonlyArray<string>> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const summary = Option.getOrElse(Context.getOption(endpoint.annotations, OpenApi.Summary), () => "")
      const token = [...middleware].some((one) => GUARDS.has(one.key)) ? "" : "no"
      rows.push([endpoint.method, `\`${parameters(endpoint.path)}\``, summary, token])
    }
  })
  return table(["Method", "Path", "What it does", "Token"], rows)
}
