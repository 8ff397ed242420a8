/**
 * What a blank switch fetches: `GET /templates/{platform}/dhcp-init.j2`, the file of the templates in force as it stands,
 * without rendering and without a token, because the switch has neither name nor credentials yet
 * (docs/provisioning.md#dhcp-and-boot-files).
 */
import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { RepositoryStore } from "../../store/RepositoryStore.ts"

/** The route of the boot files. No other file of the repository is served. */
export const BootFiles = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const repositories = yield* RepositoryStore
    const serve = Effect.gen(function* () {
      const platform = (yield* HttpRouter.params)["platform"] ?? ""
      const applied = yield* repositories.find("templates", "")
      const file = `${platform}/dhcp-init.j2`
      const files = Option.match(applied, { onNone: () => ({}), onSome: (commit) => commit.files })
      const text = Object.entries(files).find(([name]) => name === file)?.[1]
      return text === undefined
        ? HttpServerResponse.empty({ status: 404 })
        : HttpServerResponse.text(text, { contentType: "text/plain; charset=utf-8" })
    })
    const unavailable = Effect.as(
      Effect.logWarning("The boot file could not be read"),
      HttpServerResponse.empty({ status: 503 })
    )
    yield* router.add(
      "GET",
      "/templates/:platform/dhcp-init.j2",
      Effect.catch(serve, () => unavailable)
    )
  })
).pipe(Layer.provide(RepositoryStore.layer))
