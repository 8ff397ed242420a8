/**
 * Compiles all templates of a snapshot, so that the first rendering and the checks need not. Between two files the event
 * loop looks at everything else; one file is bounded by the engine.
 */
import { Effect } from "effect"
import { referencesOf } from "./TemplateReferences.ts"
import type { TemplatePlatform, TemplateSnapshot } from "./TemplateSnapshot.ts"

const compileOne = (platform: TemplatePlatform, file: string) =>
  Effect.andThen(
    Effect.yieldNow,
    Effect.sync(() => {
      platform.environment.compile(file)
      referencesOf(platform, file)
    })
  )

/** Never fails: what does not compile is found again by whoever asks for it. */
export const compileAll = Effect.fn("templates.compileAll")(function* ({ platforms }: TemplateSnapshot) {
  for (const platform of platforms.values()) {
    for (const file of platform.files.keys()) if (file.endsWith(".j2")) yield* compileOne(platform, file)
  }
})
